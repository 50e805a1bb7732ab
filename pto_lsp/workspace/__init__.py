"""Files on disk: finding them, reading them, remembering what was found in them."""
