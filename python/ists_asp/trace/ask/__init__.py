"""Questions about an answer: why it is so, and why not otherwise."""
