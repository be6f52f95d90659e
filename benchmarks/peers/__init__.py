"""Other packages in the benchmark of aggregation methods, each in an environment of its own."""
