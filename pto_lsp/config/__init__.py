"""Settings: the command line over `[tool.pto-lint]` in `pyproject.toml` or `pto-lint.toml`."""
