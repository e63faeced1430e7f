"""Which of many questions lie above a threshold: sparse vectors and their parts."""
