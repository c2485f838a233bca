"""What can be asked of a group of rows: each statistic with everything about it in one file."""
