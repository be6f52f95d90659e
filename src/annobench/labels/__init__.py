"""Labels by item and annotator, hierarchies of their categories, and which of these to merge."""
