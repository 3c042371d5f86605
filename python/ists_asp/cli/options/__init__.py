"""The options of commands, declared and checked."""
