"""From what was given to pairs: files, standard input, words of the command line."""
