"""What is set, written into a file that a person keeps: only what differs is touched."""

import difflib
import tomllib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.fakes import FakeClock
from uptime_desktop.app import App, opened
from uptime_desktop.domain.definition import describe_monitor
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import AlertRule, Setting
from uptime_desktop.exchange.declared.layout import layout_of
from uptime_desktop.exchange.declared.writing import table_text
from uptime_desktop.exchange.whole_file import write_text

pytestmark = pytest.mark.asyncio

NOW: Final = 1_800_000_000_000
Act = Callable[[App], Awaitable[object]]

FILE: Final = """\
# Our shop.     Ask Ann before you change anything.
version   = 1      # of this format

[ settings ] # for all
  default_interval = "5m"
"max_concurrent" = 1_0 # ten


# ---- people ----

[[channel]]
id = 'team'
url = "${TEAM}"   # in the environment

# The shop itself
[[site]]
id = "shop"
name = "Shop"

# The front page:
# must never be down.
[[site.monitor]]
id = "home"
url = "https://shop.example/" # production
every = "60s"
tags = [
  "front", # seen by all
  "web",
]

# Behind it
[[site.monitor]]
  id = "api"
  url = "https://shop.example/api"
  headers.Accept = "text/plain"
  timeout = "20s"
  # every = "10s"

# Not ours
[[site]]
id = "bank"

[[site.monitor]]
id = "pay"
kind = "tcp"
host = "bank.example"
port = 443

# ---- nights ----

[[maintenance]]
id = "night"
days = ["sat"] # only
at = "02:00"
duration = "1h"
# the end
"""
MIXED: Final = """\
version = 1
[[site]]
id = "one"
[[site.monitor]]
id = "a"
url = "https://a.example"
[site.monitor.headers]
X-A = "1" # one
X-B = "2"

[[channel]] # between them
id = "team"
url = "${TEAM}"
[[site]]
id = "two"
# c alone
[[site.monitor]]
id = "c"
url = "https://c.example"
[[site]]
id = "empty"
"""


@pytest.fixture(autouse=True)
def _team(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "json://localhost/x")


async def rewritten(folder: Path, text: str, *acts: Act) -> str:
    """The file after it was applied, these were done, and it was exported into."""
    async with opened(folder / "uptime.db", FakeClock(NOW)) as app:
        app.agree_to_secret_file()
        await app.apply(text, "shop.toml")
        for act in acts:
            await act(app)
        result = await app.toml((text, "shop.toml"))
        assert not (await app.plan(result, "shop.toml")).differences
    return result


def changes(before: str, after: str) -> list[str]:
    """The lines that are not the same, as `-old` and `+new`."""
    lines = difflib.ndiff(before.split("\n"), after.split("\n"))
    return [line[0] + line[2:] for line in lines if line[0] in "+-"]


def edited(monitor_id: str, *without: str, **keys: Setting) -> Act:
    async def act(app: App) -> None:
        job = app.find(monitor_id)
        given = {**describe_monitor(job.monitor), **keys}
        await app.edit(job, {key: given[key] for key in given if key not in without})

    return act


def added(site: str, **keys: Setting) -> Act:
    return lambda app: app.add([keys], site)


def removed(*names: str) -> Act:
    return lambda app: app.remove(*map(app.find, names))


def moved(name: str, site: str) -> Act:
    return lambda app: app.move([app.find(name)], site)


async def _nothing(_: App) -> None:
    pass


@pytest.mark.parametrize("text", [FILE, MIXED, FILE.replace("\n", "\r\n"), FILE.rstrip("\n")])
async def test_a_file_that_says_what_is_set_is_left_alone(tmp_path: Path, text: str) -> None:
    assert await rewritten(tmp_path, text, _nothing) == text


@pytest.mark.parametrize(
    ("act", "wanted"),
    [
        (edited("home", every="2m"), ['-every = "60s"', '+every = "2m"']),
        (
            edited("home", url="https://new.example"),
            [
                '-url = "https://shop.example/" # production',
                '+url = "https://new.example" # production',
            ],
        ),
        (edited("home", name="Front"), ['+name = "Front"']),
        (edited("api", name="Inner"), ['+  name = "Inner"']),
        (edited("api", "timeout"), ['-  timeout = "20s"']),
        (
            edited("home", "every", cron="0 9 * * 1-5", tz="Europe/Berlin"),
            [
                '-every = "60s"',
                '+cron = "0 9 * * 1-5"',
                '+tz = "Europe/Berlin"',
            ],
        ),
        (
            edited("api", headers={"Accept": "*/*"}),
            [
                '-  headers.Accept = "text/plain"',
                '+  headers = { Accept = "*/*" }',
            ],
        ),
        (
            edited("home", tags=("web",)),
            [
                "-tags = [",
                '-  "front", # seen by all',
                '-  "web",',
                "-]",
                '+tags = ["web"]',
            ],
        ),
        (
            edited("pay", "port", kind="ping"),
            [
                '-kind = "tcp"',
                '+kind = "ping"',
                "-port = 443",
            ],
        ),
        (
            edited("home", password="hunter22", username="ann"),
            [
                '+username = "ann"',
                '+password = "secret:home/password"',
            ],
        ),
        (
            lambda app: app.change_settings(replace(app.settings, max_concurrent=12)),
            [
                '-"max_concurrent" = 1_0 # ten',
                '+"max_concurrent" = 12 # ten',
            ],
        ),
        (
            lambda app: app.change_settings(replace(app.settings, max_concurrent=64)),
            [
                '-"max_concurrent" = 1_0 # ten',
            ],
        ),
        (lambda app: app.change_settings(replace(app.settings, sound=True)), ["+sound = true"]),
        (lambda app: app.channels.edit("team", name="Team"), ['+name = "Team"']),
        (lambda app: app.channels.edit("team", is_on=False), ["+on = false"]),
        (
            lambda app: app.change_site(replace(app.sites["bank"], alert=AlertRule(after=3))),
            ["+alert_after = 3"],
        ),
        (
            lambda app: app.save_window(replace(app.windows["night"], sites=frozenset({"bank"}))),
            ['+sites = ["bank"]'],
        ),
    ],
)
async def test_only_the_line_of_a_key_that_changed_is_another(
    tmp_path: Path, act: Act, wanted: list[str]
) -> None:
    assert sorted(changes(FILE, await rewritten(tmp_path, FILE, act))) == sorted(wanted)


async def test_a_file_of_windows_keeps_its_line_ends(tmp_path: Path) -> None:
    text = FILE.replace("\n", "\r\n")
    acts = edited("home", name="Front"), added("bank", name="b", url="https://b.example")
    result = await rewritten(tmp_path, text, *acts)
    assert result.count("\n") == result.count("\r\n") > text.count("\r\n")


async def test_a_removed_monitor_goes_with_its_comment_and_leaves_no_gap(tmp_path: Path) -> None:
    result = await rewritten(tmp_path, FILE, removed("home"))
    start, end = FILE.index("# The front page"), FILE.index("# Behind it")
    assert result == FILE[:start] + FILE[end:]


@pytest.mark.parametrize("text", [FILE, FILE.rstrip("\n")])
async def test_the_last_of_a_site_leaves_a_blank_line_before_the_next(
    tmp_path: Path, text: str
) -> None:
    result = await rewritten(tmp_path, text, removed("api"))
    start, end = text.index("# Behind it"), text.index("# Not ours")
    assert result == text[:start] + text[end:]


async def test_the_last_table_of_a_file_leaves_nothing_behind(tmp_path: Path) -> None:
    result = await rewritten(tmp_path, FILE, lambda app: app.remove_window("night"))
    assert result == FILE[: FILE.index("\n[[maintenance]]")]


async def test_a_new_monitor_stands_below_the_others_of_its_site(tmp_path: Path) -> None:
    act = added("shop", name="New", url="https://new.example", every="5m")
    result = await rewritten(tmp_path, FILE, act)
    place = FILE.index("\n# Not ours")
    new = '\n[[site.monitor]]\nid = "new"\nname = "New"\nkind = "http"\n'
    new += 'url = "https://new.example"\nevery = "5m"\n'
    assert result == FILE[:place] + new + FILE[place:]


async def test_a_new_site_stands_below_the_others_with_its_monitors(tmp_path: Path) -> None:
    act = added("blog", name="New", url="https://new.example", every="5m")
    result = await rewritten(tmp_path, FILE, act, moved("home", "blog"))
    place = FILE.index("\n# ---- nights")
    text = result[result.index('\n[[site]]\nid = "blog"') : result.index("\n# ---- nights")]
    assert 'id = "new"' in text
    assert "\n\n# The front page:\n# must never be down.\n[[site.monitor]]\n" in text
    assert result[result.index("\n# ---- nights") :] == FILE[place:]


async def test_a_moved_monitor_takes_its_comments_and_its_form_along(tmp_path: Path) -> None:
    result = await rewritten(tmp_path, FILE, moved("home", "bank"), edited("home", every="2m"))
    start, end = FILE.index("# The front page"), FILE.index("# Behind it")
    moving = FILE[start : end - 1].replace("60s", "2m")
    place = FILE.index("\n# ---- nights")
    assert result == FILE[:start] + FILE[end:place] + "\n" + moving + FILE[place:]


async def test_tables_of_a_monitor_move_and_go_with_it(tmp_path: Path) -> None:
    result = await rewritten(tmp_path, MIXED, moved("a", "two"))
    start, end = MIXED.index('[[site.monitor]]\nid = "a"'), MIXED.index("\n[[channel]]")
    place = MIXED.index('[[site]]\nid = "empty"')
    gone = MIXED[:start] + MIXED[end:]
    assert result == gone.replace(MIXED[place:], "\n" + MIXED[start:end] + MIXED[place:])
    assert await rewritten(tmp_path / "b", MIXED, removed("a")) == gone


async def test_of_a_table_of_a_monitor_only_what_differs_is_another(tmp_path: Path) -> None:
    result = await rewritten(tmp_path, MIXED, edited("a", headers={"X-A": "1", "X-C": "3"}))
    assert changes(MIXED, result) == ['-X-B = "2"', '+X-C = "3"']
    result = await rewritten(tmp_path / "again", MIXED, edited("a", headers={"X-A": "3"}))
    assert 'X-A = "3" # one' in result
    result = await rewritten(tmp_path / "none", MIXED, edited("a", "headers"))
    assert "[site.monitor.headers]" not in result


async def test_a_site_without_monitors_gets_its_first_one(tmp_path: Path) -> None:
    result = await rewritten(tmp_path, MIXED, moved("c", "empty"))
    start = MIXED.index("# c alone")
    end = MIXED.index('[[site]]\nid = "empty"')
    assert result == MIXED[:start] + MIXED[end:] + "\n" + MIXED[start:end]


async def test_a_site_that_is_not_stored_is_taken_out_with_its_monitors(tmp_path: Path) -> None:
    other = MIXED + '[[site]]\nid = "three"\n\n[[site.monitor]]\nid = "d"\nurl = "https://d"\n'
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.apply(MIXED, "shop.toml")
        assert await app.toml((other, "shop.toml")) == MIXED


async def test_a_monitor_is_saved_from_a_site_that_goes(tmp_path: Path) -> None:
    other = MIXED.replace('id = "two"', 'id = "three"')
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.apply(MIXED, "shop.toml")
        result = await app.toml((other, "shop.toml"))
        assert not (await app.plan(result, "shop.toml")).differences
        assert "# c alone" in result
        assert "three" not in result


async def test_all_of_a_file_gives_way_to_what_is_stored(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.apply(MIXED, "shop.toml")
        result = await app.toml((FILE, "shop.toml"))
        assert not (await app.plan(result, "shop.toml")).differences
    assert result.startswith("# Our shop.     Ask Ann before you change anything.\n")
    assert "\n# ---- people ----\n\n[[channel]]\nid = 'team'\n" in result
    assert "\n\n\n[[" not in result


async def test_other_defaults_change_no_monitor(tmp_path: Path) -> None:
    async def other_defaults(app: App) -> None:
        changed = replace(app.settings, default_retries=3, default_timeout_ms=9_000)
        await app.change_settings(changed)

    lines = changes(FILE, await rewritten(tmp_path, FILE, other_defaults))
    assert lines.count("+default_retries = 3") == lines.count('+default_timeout = "9s"') == 1
    assert [line.strip("+ ") for line in lines].count("retries = 1") == 3
    assert [line.strip("+ ") for line in lines].count('timeout = "30s"') == 2
    assert all(line.startswith("+") for line in lines)


async def test_a_default_that_begins_to_count_changes_no_monitor(tmp_path: Path) -> None:
    text = FILE.replace('every = "60s"', 'cron = "0 9 * * 1-5"')
    text = text.replace('default_interval = "5m"', 'default_jitter = "0.3"')
    plain = edited("home", "cron", every="2m")
    assert sorted(changes(text, await rewritten(tmp_path, text, plain))) == [
        '+every = "2m"',
        '+jitter = "0.1"',
        '-cron = "0 9 * * 1-5"',
    ]


async def test_what_settings_say_already_is_not_said_again(tmp_path: Path) -> None:
    text = """version = 1
[settings]
backoff_cap = "2h"
default_timeout = "10s"
default_retries = 2
[[site]]
id = "a"
[[site.monitor]]
id = "m"
url = "https://x.example"
every = "1m"
"""
    longer = edited("m", every="2m")
    assert sorted(changes(text, await rewritten(tmp_path, text, longer))) == [
        '+every = "2m"',
        '-every = "1m"',
    ]
    async with opened(tmp_path / "other.db", FakeClock(NOW)) as app:
        await app.apply(text, "a.toml")
        (monitor,) = tomllib.loads(await app.toml())["site"][0]["monitor"]
        assert not monitor.keys() & {"backoff_cap", "timeout", "retries"}


async def test_times_that_exclude_each_other_do_not_stay_together(tmp_path: Path) -> None:
    text = FILE.replace('every = "60s"', 'every = "60s"\ncadence = "after" # plain')
    text += '[[maintenance]]\nid = "once"\nstarts = 2027-12-24T18:00:00Z\nduration = "2h"\n'

    async def longer(app: App) -> None:
        keys = {"id": "once", "starts": "2027-12-24T18:00:00Z", "duration": "3h"}
        await app.save_window(parse_window(keys, NOW))

    cron = edited("home", "every", "cadence", cron="0 9 * * 1-5")
    result = await rewritten(tmp_path, text, longer, cron)
    assert "cadence" not in result
    assert result.endswith('starts = 2027-12-24T18:00:00Z\nends = "2027-12-24T21:00:00Z"\n')


async def test_an_address_kept_as_a_secret_is_not_written_in_clear(tmp_path: Path) -> None:
    result = await rewritten(
        tmp_path, FILE, lambda app: app.channels.edit("team", url="json://hunter22@localhost")
    )
    assert changes(FILE, result) == [
        '-url = "${TEAM}"   # in the environment',
        '+url = "secret:channel/team"   # in the environment',
    ]


INLINE: Final = """\
version = 1 # inline
settings = { max_concurrent = 5, sound = true }
channel = [{ id = "team", url = "${TEAM}" }]
site = [
  { id = "one", monitor = [{ id = "a", url = "https://a.example" }] },
  { id = "two" },
]
maintenance = []
"""
LISTED: Final = """\
version = 1
settings.max_concurrent = 5 # few
[[site]]
id = "one"
monitor = [
  { id = "a", url = "https://a.example" }, # first
  { id = "b", url = "https://b.example" },
]
[[site]]
id = "two"
monitor = []
"""


@pytest.mark.parametrize("text", [INLINE, LISTED])
@pytest.mark.parametrize(
    "act",
    [
        _nothing,
        edited("a", every="2m"),
        added("two", name="c", url="https://c.example"),
        added("three", name="c", url="https://c.example"),
        moved("a", "two"),
        removed("a"),
        lambda app: app.change_settings(replace(app.settings, max_concurrent=7, per_origin=3)),
        lambda app: app.change_settings(replace(app.settings, max_concurrent=64)),
        lambda app: app.channels.add("Other", "json://localhost/y"),
        lambda app: app.save_window(
            parse_window({"id": "w", "cron": "0 0 * * *", "duration": "1h"}, NOW)
        ),
    ],
)
async def test_tables_in_brackets_are_changed_too(tmp_path: Path, text: str, act: Act) -> None:
    result = await rewritten(tmp_path, text, act)
    assert result.startswith(text.partition("\n")[0])
    if act is _nothing:
        assert result == text


async def test_what_stays_in_a_list_in_brackets_stays_in_its_words(tmp_path: Path) -> None:
    text = LISTED.replace(
        'a.example" }', 'a.example", bearer_token = "hunter22", headers = { X-A = "1" } }'
    )
    result = await rewritten(tmp_path, text, edited("b", every="2m"))
    at = result.index('id = "a"')
    assert result[at : result.index("[[", at)].split("\n") == [
        'id = "a"',
        'url = "https://a.example"',
        'bearer_token = "hunter22"',
        'headers = { X-A = "1" }',
        "",
        "",
    ]


async def test_a_file_with_only_a_version_and_one_without_a_last_line_end_grow(
    tmp_path: Path,
) -> None:
    async def more(app: App) -> None:
        await app.change_settings(replace(app.settings, sound=True))
        await app.add([{"name": "a", "url": "https://a.example", "every": "1m"}], "one")

    result = await rewritten(tmp_path, "version = 1", more)
    assert result.startswith('version = 1\n\n[settings]\nsound = true\n\n[[site]]\nid = "one"\n')
    assert '\n\n[[site.monitor]]\nid = "a"\n' in result


async def test_an_empty_file_is_written_anew(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.apply(MIXED, "shop.toml")
        whole = await app.toml()
        assert await app.toml(("\n", "shop.toml")) == whole
        assert await app.toml(("# Ours\n\n# all", "shop.toml")) == "# Ours\n\n# all\n\n" + whole
        windows = await app.toml(("# Ours\r\n\r\n# all\r\n", "shop.toml"))
        assert windows == ("# Ours\n\n# all\n\n" + whole).replace("\n", "\r\n")


async def test_many_changes_at_once_take_little(tmp_path: Path) -> None:
    text = "version = 1\n[[site]]\nid = 's'\n[[site]]\nid = 't'\n" + "".join(
        f'\n# {n}\n[[site.monitor]]\nid = "m{n}"\nurl = "https://x.example/{n}"\n'
        for n in range(1_000)
    )

    async def move_and_remove(app: App) -> None:
        await app.move([app.find(f"m{n}") for n in range(0, 1_000, 2)], "s")
        await app.remove(*(app.find(f"m{n}") for n in range(1, 1_000, 2)))

    result = await rewritten(tmp_path, text, move_and_remove)
    headers = [block.way for block in layout_of(result)]
    assert headers.count(("site", 0, "monitor", 499)) == 1
    assert headers[-1] == ("site", 1)
    assert result.count("\n# ") == 500


async def test_what_is_written_anew_says_all_and_no_more() -> None:
    names = {"a b": "1", 'c"d': "2", "": "3"}
    text = table_text("[x]", {"t": "\x7f\\\n\t\u2028é", "n": 5, "f": True, "l": ("",), "m": names})
    assert tomllib.loads(text)["x"] == {
        "t": "\x7f\\\n\t\u2028é",
        "n": 5,
        "f": True,
        "l": [""],
        "m": names,
    }


@pytest.mark.parametrize(
    "content",
    [
        FILE.encode(),
        b"\xef\xbb\xbf" + FILE.encode(),
        b"\xff\xfe" + FILE.encode("utf-16-le"),
        b"\xfe\xff" + FILE.encode("utf-16-be"),
    ],
)
async def test_a_file_keeps_its_encoding_and_who_may_read_it(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "shop.toml"
    path.write_bytes(content)
    path.chmod(0o640)
    write_text(path, FILE)
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o640
