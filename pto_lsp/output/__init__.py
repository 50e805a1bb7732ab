"""How results look on paper: one file a format, each a function from a `Report` to text."""
