"""What the sources propose and what fails or is dominated: kept, tested, used by nothing else."""
