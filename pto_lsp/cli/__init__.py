"""The command line `pto-lint`: arguments in, text and an exit status out."""
