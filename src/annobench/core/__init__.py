"""What every other package rests on: choices, errors, writing of files, discovery of records."""
