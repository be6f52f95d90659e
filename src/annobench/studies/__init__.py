"""Studies of the methods: coverage of intervals, models on gold standards, the certificate."""
