"""From several labels to one: consensus, expert index, and classifiers that know annotators."""
