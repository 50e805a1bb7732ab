"""Helpers that tests of every room may use."""
