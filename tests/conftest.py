"""Property tests draw the same examples in every run, so that a red build says something about the change.

`make soak` draws new ones each time (HYPOTHESIS_PROFILE=soak).
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("soak", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
