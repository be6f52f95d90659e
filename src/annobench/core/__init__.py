"""What every other package rests on."""
