"""Readers and writers: sentence files, ``[ ]`` chunk files, ``.wa``, TSV, JSON Lines.

One module a format; nothing here decides anything about language.
"""
