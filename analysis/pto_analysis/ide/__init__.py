"""Answers for editors, as plain data in editor terms: what stands here, what can stand here, where it comes from.

Nothing here knows a protocol. Every answer is about one unit, in the unit's own lines.
"""
