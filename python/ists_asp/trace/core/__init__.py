"""From rules to what fired for an answer."""
