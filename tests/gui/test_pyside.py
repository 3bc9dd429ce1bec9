"""The Qt we build on is sound on this Python."""

import sys

from PySide6.QtCore import QObject


def test_qt_calls_do_not_eat_references_to_none() -> None:
    """PySide6 6.12.0 on Python 3.11 lost one reference a call and aborted after about 8 000."""
    subject = QObject()
    before = sys.getrefcount(None)
    for number in range(500):
        subject.setObjectName(f"name {number}")
    assert abs(sys.getrefcount(None) - before) < 50
