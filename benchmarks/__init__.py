"""Speed and memory beside other libraries; run with `make bench`."""
