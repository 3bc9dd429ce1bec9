"""Maintenance on the command line: alone on the database, and through the running app."""

import pytest

from tests.cli.conftest import Command
from uptime_desktop.domain.maintenance_definition import DAYS
from uptime_desktop.domain.model import DAY_MS, HOUR_MS
from uptime_desktop.domain.notation import instant_text, parse_instant
from uptime_desktop.engine.clock import wall_now


@pytest.fixture
def watched(command: Command) -> None:
    command("add", "a.example", "--site", "shop", "--name", "Home", "--every", "1h")


def lasts_ms(window: dict[str, str]) -> int:
    starts_at, ends_at = (parse_instant(key, window[key]) for key in ("starts_at", "ends_at"))
    return ends_at - starts_at


@pytest.mark.usefixtures("way")
class TestEitherWay:
    def test_maintenance_begins_now_and_ends_when_told(self, command: Command) -> None:
        begun = command("maintenance", "start", "--json").document
        assert (begun["id"], begun["mode"], begun["in_force"]) == ("maintenance", "silence", True)
        assert lasts_ms(begun) == HOUR_MS
        assert command("maintenance", "list", "--json").document == {"windows": [begun]}
        (ended,) = command("maintenance", "end", "--json").document["windows"]
        assert (ended["id"], ended["in_force"]) == ("maintenance", False)
        assert command("maintenance", "list", "--json").document == {"windows": []}

    @pytest.mark.usefixtures("watched")
    def test_a_window_is_added_listed_and_removed(self, command: Command) -> None:
        added = command(
            *("maintenance", "add", "--name", "Back up", "--days", "sat,sun", "--at", "02:00"),
            *("--for", "2h", "--tz", "Europe/Berlin", "--mode", "pause", "--site", "shop"),
            *("--monitor", "Home", "--json"),
        ).document
        assert added["id"] == "back-up"
        assert (added["sites"], added["monitors"]) == (["shop"], ["home"])
        assert lasts_ms(added) == 2 * HOUR_MS
        assert added["definition"] == {
            "id": "back-up",
            "name": "Back up",
            "days": ["sat", "sun"],
            "at": "02:00",
            "duration": "2h",
            "tz": "Europe/Berlin",
            "mode": "pause",
            "sites": ["shop"],
            "monitors": ["home"],
        }
        (listed,) = command("maintenance", "list", "--json").document["windows"]
        assert listed["definition"] == added["definition"]
        assert command("maintenance", "remove", "Back up").out == "back-up: removed\n"
        assert command("maintenance", "list").out == "No maintenance is planned.\n"

    def test_ending_what_recurs_leaves_its_later_times(self, command: Command) -> None:
        today = DAYS[(wall_now() // DAY_MS + 3) % 7]
        weekly = ("--days", today, "--at", "00:00", "--for", "3d", "--tz", "UTC")
        command("maintenance", "add", "--name", "weekly", *weekly)
        (ended,) = command("maintenance", "end", "--json").document["windows"]
        assert ended["in_force"] is False
        assert parse_instant("starts_at", ended["starts_at"]) > wall_now() + 5 * DAY_MS
        assert command("maintenance", "list", "--json").document == {"windows": [ended]}
        assert command("maintenance", "end").code == 1

    @pytest.mark.usefixtures("watched")
    @pytest.mark.parametrize(
        ("words", "line"),
        [
            ([], "the following arguments are required: ACT"),
            (["plan"], "argument ACT: invalid choice: 'plan'"),
            (["add", "--cron", "@daily"], "the following arguments are required: --name"),
            (["add", "--name", "x"], "--starts: nothing says when it is. Allowed: one of starts"),
            (["add", "--name", "x", "--cron", "@daily"], "--for: it is missing. Allowed: how long"),
            (["start", "--for", "30s"], "--for: 30 s is too short. Allowed: 1 min to 30 d."),
            (["start", "--for", "long"], "--for: 'long' is not a duration."),
            (["start", "--mode", "off"], "--mode: 'off' is not a choice. Allowed: silence, pause."),
            (["start", "--site", "gone"], "--site: there is no site 'gone'. Allowed: shop."),
            (["start", "--site", ""], "--site: '' cannot be a name."),
            (["start", "--monitor", "gone"], "MONITOR: there is no monitor 'gone'."),
            (["end", "gone"], "WINDOW: there is no window 'gone'. Allowed: an id, or a name that"),
            (["remove", "gone"], "WINDOW: there is no window 'gone'."),
        ],
    )
    def test_bad_input_is_one_line_exit_two_and_nothing_changes(
        self, command: Command, words: list[str], line: str
    ) -> None:
        printed = command("maintenance", *words)
        assert (printed.code, printed.out) == (2, "")
        assert printed.err.startswith(f"uptime-desktop: {line}")
        assert printed.err.count("\n") == 1
        assert command("maintenance", "list", "--json").document == {"windows": []}


class TestAlone:
    def test_tables_tell_whether_it_is_in_force_and_until_when(self, command: Command) -> None:
        assert command("maintenance", "list").out == "No maintenance is planned.\n"
        begun = command("maintenance", "start", "--for", "2d", "--mode", "pause").out
        assert begun.startswith("maintenance: in force, ends in 1 d 23 h")
        starts = instant_text(wall_now() + 3 * DAY_MS - HOUR_MS)
        command("maintenance", "add", "--name", "Later", "--starts", starts, "--for", "1h")
        header, first, second = command("maintenance", "list").out.splitlines()
        assert header.split() == ["Id", "Name", "State", "Mode", "For", "When", "Next"]
        assert "in force  pause    everything" in first
        assert first.endswith("ends in 1 d 23 h")
        assert "planned   silence  everything" in second
        assert "starts in 2 d" in second

    def test_ids_are_made_from_names_in_any_script_and_never_clash(self, command: Command) -> None:
        ids = [
            command("maintenance", "start", "--name", name, "--json").document["id"]
            for name in ("Move house", "Move house", "维护", "维护")
        ]
        assert ids == ["move-house", "move-house-2", "maintenance", "maintenance-2"]
        assert command("maintenance", "remove", "Move house").code == 2  # two have that name
        assert command("maintenance", "end", "move-house").out == "move-house: over\n"
        assert len(command("maintenance", "end", "--json").document["windows"]) == 3

    def test_only_what_is_in_force_can_be_ended(self, command: Command) -> None:
        starts = instant_text(wall_now() + DAY_MS)
        command("maintenance", "add", "--name", "later", "--starts", starts, "--for", "1h")
        refused = command("maintenance", "end", "later")
        assert refused.code == 2
        assert refused.err.startswith("uptime-desktop: WINDOW: 'later' is not in force.")
        nothing = command("maintenance", "end")
        assert nothing.code == 1
        assert nothing.err == "uptime-desktop: no maintenance is in force\n"
