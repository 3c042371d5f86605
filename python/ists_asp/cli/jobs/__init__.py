"""What several commands do alike, or what takes more than a command may say of it."""
