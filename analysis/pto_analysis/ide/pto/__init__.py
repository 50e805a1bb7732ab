"""The same answers for `.pto` text: values, buffers, operations. Lines are those of the file."""
