"""What a remembered result may depend on in another path: its text, that it is there, or (None) that it is not."""

from __future__ import annotations

READ = "read"
PRESENT = "present"
