"""Secrets leave the settings before they are stored and come back before a check."""

from uptime_desktop.checks.credentials import secret_names, with_secrets, without_secrets
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.domain.model import Setting

SETTINGS: dict[str, Setting] = {
    "url": "https://bob:hunter2@example.org/",
    "headers": {"Authorization": "Bearer t0k3n", "Accept": "text/html"},
    "method": "GET",
}


def test_what_is_stored_holds_no_secret_and_reads_back_whole() -> None:
    stored, secrets = without_secrets(KINDS["http"], "shop", SETTINGS)
    assert stored == {
        "url": "secret:shop/url",
        "headers": {"Authorization": "secret:shop/headers/Authorization", "Accept": "text/html"},
        "method": "GET",
    }
    assert sorted(secret_names(stored)) == sorted(secrets)
    assert with_secrets(KINDS["http"], stored, secrets.__getitem__, str) == SETTINGS


def test_what_is_stored_already_is_left_alone() -> None:
    stored, _ = without_secrets(KINDS["http"], "shop", SETTINGS)
    assert without_secrets(KINDS["http"], "shop", stored) == (stored, {})


def test_settings_without_secrets_stay_as_they_are() -> None:
    plain: dict[str, Setting] = {"url": "https://example.org/", "headers": {"Accept": "text/html"}}
    assert without_secrets(KINDS["http"], "shop", plain) == (plain, {})
