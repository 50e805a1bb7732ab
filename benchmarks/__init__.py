"""Benchmarks: `python -m benchmarks [NAME ...] [--kernels FOLDER]`. Figures, never pass or fail."""
