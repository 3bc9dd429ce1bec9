"""Widgets without a screen, looking the same everywhere."""

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_STYLE_OVERRIDE"] = "Fusion"
