"""Privacy-loss variables: the law of the loss in one direction, and sums of such."""
