"""Links between the words or nodes of paired sentences, as annotations."""
