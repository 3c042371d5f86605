"""Readers and writers, a module a format; nothing here decides anything about language."""
