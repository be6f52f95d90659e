"""Against a gold standard: scores, selective prediction, stratified samples, information."""
