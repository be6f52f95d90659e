"""What a paper's analysis reads and writes, and the verdicts on its values."""
