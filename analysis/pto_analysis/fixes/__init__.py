"""Edits that give a kernel the right spelling.

Each is made of small replacements inside single statements, so comments, quotes and line breaks around them stay.

Positions are those of the unit. A fix that would have to guess is not made.
"""
