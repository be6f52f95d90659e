// `workflow/commands/release.py --stamp` writes commit and date of a release here; else there is nothing.
