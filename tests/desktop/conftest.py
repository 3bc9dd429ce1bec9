"""A private desktop for every test that asks for it; only Linux has these."""

import sys
from collections.abc import Generator, Iterator

import pytest

if sys.platform == "linux":
    from tests.desktop.rig import Desktop, private_desktop

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A test of the tray that does not run shows nothing: skipped is failed here."""
        report = yield
        if report.skipped:
            report.outcome = "failed"
        return report

    @pytest.fixture
    def desktop() -> Iterator[Desktop]:
        with private_desktop() as desktop:
            yield desktop

else:
    collect_ignore_glob = ["test_*.py"]
