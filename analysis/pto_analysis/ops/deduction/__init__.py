"""The named rules that the op table is written in: dtypes, shapes, valid regions, layouts, checks, whole types."""
