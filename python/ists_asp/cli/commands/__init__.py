"""The commands, one file each: options to a call, and what comes back to output."""
