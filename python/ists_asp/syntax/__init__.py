"""Programs as clingo reads and writes them: syntax trees, and ground terms as text."""
