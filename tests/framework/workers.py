"""How many programs a test that tries many of them runs at once: ctest runs other tests beside it."""

import os

COUNT = max(1, (os.cpu_count() or 1) // 2)
