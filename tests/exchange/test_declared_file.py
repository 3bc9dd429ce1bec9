"""Configuration files with something wrong in them: all of it is said at once, and where."""

import time
import tracemalloc
from pathlib import Path
from typing import Final

import pytest

from tests.fakes import FakeClock
from tests.importing_build import measured
from uptime_desktop.app import opened
from uptime_desktop.declaring import Plan
from uptime_desktop.domain.refusal import Refused, RefusedFile
from uptime_desktop.exchange.declared.file import read_declared
from uptime_desktop.exchange.reading import MOST_BYTES, read_bytes, text_of

pytestmark = pytest.mark.asyncio

NOW: Final = 1_800_000_000_000
PLAIN: Final = 'version = 1\n[[site]]\nid = "shop"\n'
MONITOR: Final = PLAIN + '[[site.monitor]]\nid = "home"\nurl = "https://shop.example"\n'
WINDOW: Final = PLAIN + '[[maintenance]]\nid = "night"\n'

ALL_WRONG: Final = """version = 2
colour = "red"
[settings]
max_concurrent = 0
default_interval = 60
nonsense = 1
sound = ["x"]
[[channel]]
id = "Team"
url = "json://localhost/x"
[[channel]]
id = "hook"
extra = 1
[[channel]]
name = "no id"
url = "json://localhost/x"
[[site]]
id = "shop"
name = ["Shop"]
active = "yes"
depends_on = ["nobody"]
channels = ["gone"]
monitors = 1
  [[site.monitor]]
  id = "home"
  url = "ftp://x"
  every = "1s"
  retries = 99
  keywrd = "x"
  timeout = [1]
  certificate_days = "many"
  ip_version = 5
  [[site.monitor]]
  id = "home"
  kind = "tcp"
  host = "x.example"
  site = "other"
  port = "http"
  [[site.monitor]]
  kind = "nothing"
  id = 5
  [[site.monitor]]
  id = "group"
  kind = "group"
  every = "60s"
  members = ["home", "who"]
[[site]]
name = "nameless"
  [[site.monitor]]
  id = "x"
  url = "https://x.example"
  cron = "* * *"
[[maintenance]]
id = "w"
days = ["mon", "xyz"]
at = 02:00:00
duration = "10m"
off_until = "2026-01-01T00:00:00Z"
[[maintenance]]
id = "v"
days = ["mon"]
at = "02:00"
duration = "10m"
mode = "loud"
sites = ["nowhere"]
"""
WRONG: Final = [
    ("1:11: version: it is not a version that is known.", "version = 1 at the top"),
    ("2:10: colour: 'colour' is not a key here.", "version, settings"),
    ("4:18: settings.max_concurrent: '0' is not a whole number in range.", "1 to 1000"),
    ("5:20: settings.default_interval: '60' is not a duration.", "500ms 30s"),
    ("6:12: settings.nonsense: 'nonsense' is not a setting.", "default_interval"),
    ("7:9: settings.sound: it is a list or a table.", "a text or a number"),
    ("9:6: channel.Team.id: 'Team' cannot be the id of a channel.", "small letters"),
    ("11:1: channel.hook.url: it is missing.", "an Apprise address"),
    ("13:9: channel.hook.extra: 'extra' is not a key here.", "id, name, url, on"),
    ("14:1: channel.3.id: it is missing.", 'id = "home"'),
    ("19:8: site.shop.name: it is not a text.", 'name = "home"'),
    ("20:10: site.shop.active: 'yes' is not a choice.", "true, false"),
    ("21:14: site.shop.depends_on: there is no 'nobody'.", "site:ID"),
    ("22:12: site.shop.channels: there is no channel 'gone'.", "desktop, sound"),
    ("23:12: site.shop.monitors: 'monitors' is not a key here.", "keys such as monitor"),
    ("26:9: site.shop.monitor.home.url: 'ftp://x' is not a web address.", "https://"),
    ("27:11: site.shop.monitor.home.every: 1 s is too short.", "5 s to 30 d"),
    ("28:13: site.shop.monitor.home.retries: '99' is not a whole number in range.", "0 to 10"),
    ("29:12: site.shop.monitor.home.keywrd: there is no such setting", "keyword"),
    ("30:13: site.shop.monitor.home.timeout: it is a list or a table.", "a text or a number"),
    ("31:22: site.shop.monitor.home.certificate_days: 'many' is not a whole", "0 to 3650"),
    ("32:16: site.shop.monitor.home.ip_version: '5' is not a choice.", "any, 4, 6"),
    ("34:8: site.shop.monitor.home.id: 'home' is there twice.", "no other"),
    ("37:10: site.shop.monitor.home.site: 'other' cannot be chosen here.", "stands under"),
    ("38:10: site.shop.monitor.home.port: 'http' is not a whole number", "1 to 65535"),
    ("40:10: site.shop.monitor.3.kind: 'nothing' is not a kind of check.", "http, tcp, ping"),
    ("41:8: site.shop.monitor.3.id: it is not a text.", 'id = "home"'),
    ("45:11: site.shop.monitor.group.every: '60s' has no meaning here.", "checked"),
    ("46:13: site.shop.monitor.group.members: there is no monitor 'who'.", "ids of monitors"),
    ("47:1: site.2.id: it is missing.", 'id = "home"'),
    ("52:10: site.2.monitor.x.cron: '* * *' has the wrong number of fields, 3.", "5 (minute"),
    ("55:8: maintenance.w.days: 'xyz' is not a day.", "mon, tue"),
    ("58:13: maintenance.w.off_until: 'off_until' is not a key here.", "starts, ends"),
    ("64:8: maintenance.v.mode: 'loud' is not a choice.", "silence, pause"),
    ("65:9: maintenance.v.sites: there is no 'nowhere'.", "ids of sites"),
]


async def planned(folder: Path, text: str) -> Plan:
    async with opened(folder / "uptime.db", FakeClock(NOW)) as app:
        return await app.plan(text, "shop.toml")


async def refusals(folder: Path, text: str) -> list[str]:
    with pytest.raises(RefusedFile) as caught:
        await planned(folder, text)
    return caught.value.lines()


async def test_all_that_is_wrong_is_said_at_once_each_with_its_place(tmp_path: Path) -> None:
    lines = await refusals(tmp_path, ALL_WRONG)
    assert len(lines) == len(WRONG)
    for line, (said, allowed) in zip(lines, WRONG, strict=True):
        assert line.startswith(f"shop.toml:{said}")
        assert allowed in line.split(" Allowed: ")[1]


async def test_the_first_problem_and_how_many_more_fit_on_one_line(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile) as caught:
        await planned(tmp_path, "colour = 1\n")
    said = caught.value.text()
    assert said.startswith(
        "shop.toml:1:1: version: it is missing. Allowed: version = 1 at the top."
    )
    assert said.endswith("And 1 more.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: version: it is missing"),
        ("version = true", "1:11: version: it is not a version"),
        ("version = 1.0", "1:11: version: it is not a version"),
        ('version = "1"', "1:11: version: it is not a version"),
        (f"version = 0x{'f' * 10_000}", "1:11: version: it is not a version"),
        ("version = {}", "1:11: version: it is not a version"),
        ("version = 1\nsettings = 5", "2:12: settings: it is not a table"),
        (
            "version = 1\n[site]\nid = 'x'",
            "2:1: site: it is not a list of tables. Allowed: [[site]]",
        ),
        (PLAIN + "monitor = 'x'", "4:11: site.shop.monitor: it is not a list of tables."),
        (PLAIN + "monitor = [1]", "Allowed: [[site.monitor]]"),
        (PLAIN + "id = ''\n", "Cannot overwrite a value"),
        ('version = 1\n[[site]]\nid = ""', "3:6: site.1.id: it is missing"),
        ('version = 1\n[[site]]\nid = "a\\nb"', "site.a\\nb.id: 'a\\nb' cannot be a name"),
        (PLAIN + "depends_on = ['shop']", "4:14: site.shop.depends_on: there is no 'shop'"),
        (PLAIN + '[[site]]\nid = "shop"', "5:6: site.shop.id: 'shop' is there twice"),
        (MONITOR + "tags = { a = 'b' }", "7:8: site.shop.monitor.home.tags: it is not a list"),
        (MONITOR + "tags = [true]", "7:8: site.shop.monitor.home.tags: it is not a list"),
        (MONITOR + "headers = { X = true }", "headers: such a list or table cannot be used"),
        (MONITOR + "kind = ['http']", "7:8: site.shop.monitor.home.kind: it is not a text"),
        (MONITOR + "name = 7", "7:8: site.shop.monitor.home.name: it is not a text"),
        (MONITOR + "jitter = 0.75", "'0.75' is not a fraction in range. Allowed: 0 to 0.5"),
        (MONITOR + "every = '60s'\ncron = '0 * * * *'", "cannot go with every"),
        (MONITOR + "at = 2020-01-01T00:00:00Z", "is past. Allowed: a time to come"),
        (MONITOR + "depends_on = ['home']", "home.depends_on: it leads in a circle"),
        (MONITOR + "channels = ['team']", "there is no channel 'team'. Allowed: desktop, sound"),
        (WINDOW + "starts = 2026-01-01", "'2026-01-01' is not an instant with an offset"),
        (WINDOW + "duration = '1h'", "4:1: maintenance.night.starts: nothing says when it is"),
        (WINDOW + "cron = '0 0 * * *'", "4:1: maintenance.night.duration: it is missing"),
        (WINDOW + "cron = '0 0 * * *'\nduration = '1h'\nevery = 1", "'every' says nothing of a"),
        (WINDOW + "days = ['mon']\nat = [1]\nduration = '1h'", "7:6: maintenance.night.at: it is"),
    ],
)
async def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    assert said in "\n".join(await refusals(tmp_path, text))


async def test_a_circle_through_a_site_is_told_of_the_site(tmp_path: Path) -> None:
    text = """version = 1
[[site]]
id = "front"
[[site.monitor]]
id = "web"
url = "https://x.example"
depends_on = ["site:back"]
[[site]]
id = "back"
depends_on = ["site:back"]
[[site.monitor]]
id = "db"
url = "https://y.example"
"""
    (line,) = await refusals(tmp_path, text)
    assert line.startswith("shop.toml:10:14: site.back.depends_on: it leads in a circle")


async def test_what_a_site_depends_on_is_told_once_however_many_monitors_it_has(
    tmp_path: Path,
) -> None:
    monitors = "".join(
        f'[[site.monitor]]\nid = "m{n}"\nurl = "https://x.example"\n' for n in range(5)
    )
    (line,) = await refusals(tmp_path, PLAIN + 'depends_on = ["gone"]\n' + monitors)
    assert line.startswith("shop.toml:4:14: site.shop.depends_on: there is no 'gone'")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("version = \n", "1:11:"),
        ("version = 1\n[[site]\n", "2:7:"),
        ("version = 1\r\n\r\nname = oops\r\n", "3:8:"),
        ("version = 1\nversion = 1\n", "2:12:"),
        ('version = 1\nname = "open', "2:13:"),
        ("version = 1\n[settings]\n[settings]\n", "3:10:"),
        ("version = 1\nx = 2026-13-45\n", "2:"),
    ],
)
async def test_a_file_that_is_no_toml_is_refused_where_it_ends_to_be(
    tmp_path: Path, text: str, place: str
) -> None:
    (line,) = await refusals(tmp_path, text)
    assert line.startswith(f"shop.toml:{place}")
    assert ": toml: " in line


@pytest.mark.parametrize(
    "secret",
    [
        '[channel]\nid = "x"\nurl = "json://hunter22@localhost"',
        '[[site.monitor]]\nid = "a"\nurl = "https://x.example"\npassword = [["hunter22"]]',
        '[[site.monitor]]\nid = "a"\nurl = "https://x.example"\npassword = ["hunter22"]',
        '[[site.monitor]]\nid = "a"\nurl = "https://x.example"\nheaders = { A = ["hunter22"] }',
        '[[site.monitor]]\nid = "a"\nurl = "https://ann:hunter22@"',
        '[[site.monitor]]\nid = "a"\nurl = "https://x.example"\nheaders = "Cookie hunter22"',
        '[[channel]]\nid = "x"\nurl = "nonsense://hunter22@x"',
        '[[channel]]\nid = "x"\nurl = ["json://hunter22@x"]',
        '[settings]\nping_key = "hunter22"',
    ],
)
async def test_a_refusal_tells_no_secret(tmp_path: Path, secret: str) -> None:
    lines = await refusals(tmp_path, PLAIN + secret)
    assert "hunter22" not in "\n".join(lines)


async def test_forms_that_toml_has_for_values_are_understood(tmp_path: Path) -> None:
    text = """version = 1
settings = { max_concurrent = 5, default_jitter = 0.25, sound = true }
site = [
  { id = "shop", monitor = [
    { id = "home", url = "https://x.example", every = "90s", tags = ["a", 2] },
    { id = "once", url = "https://y.example", at = 2027-12-24 18:00:00+01:00 },
  ] },
]
[[maintenance]]
id = 'night'
days = "sat,sun"
at = 02:30:00
duration = '''2h'''
"""
    plan = await planned(tmp_path, text)
    keys = {one.id: {key.key: key.after for key in one.keys} for one in plan.differences}
    assert keys["max_concurrent"] == {"max_concurrent": "5"}
    assert keys["default_jitter"] == {"default_jitter": "0.25"}
    assert keys["home"]["tags"] == ("a", "2")
    assert keys["once"]["at"] == "2027-12-24T17:00:00Z"
    assert (keys["night"]["at"], keys["night"]["days"]) == ("02:30", ("sat", "sun"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (MONITOR.encode() + b"\0", "NUL character in line 7"),
        (b"version = 1\n\xff\xfe", "is not text in UTF-8 (byte 12)"),
        (b"\x00\x01\x02", "NUL character in line 1"),
        (b"#" * (MOST_BYTES + 1), "is too large. Allowed: up to 32 MiB"),
    ],
)
async def test_what_is_no_text_is_refused_in_a_sentence(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "shop.toml"
    path.write_bytes(content)
    with pytest.raises(Refused) as caught:
        text_of(read_bytes(path), path.name)
    assert said in caught.value.text()


async def test_of_a_file_of_200_mb_no_more_is_read_than_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    with path.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="too large"):
            read_bytes(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * MOST_BYTES


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + MONITOR.encode(),
        b"\xff\xfe" + MONITOR.encode("utf-16-le"),
        b"\xfe\xff" + MONITOR.encode("utf-16-be"),
        MONITOR.replace("\n", "\r\n").encode(),
        MONITOR.rstrip("\n").encode(),
    ],
)
async def test_marks_encodings_and_line_ends_of_other_systems_are_read(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "shop.toml"
    path.write_bytes(content)
    plan = await planned(tmp_path, text_of(read_bytes(path), path.name))
    assert [one.id for one in plan.differences] == ["shop", "home"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("{a=" * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        ("[" * 300 + "]" * 300, "cannot be used here"),
        ("{a=" * 300 + "1" + "}" * 300, "cannot be used here"),
        ("9" * 10_000, "digits"),
        ("0x" + "f" * 100_000, "url: the number is too large"),
        ("[0x" + "f" * 100_000 + "]", "url: such a list"),
    ],
)
async def test_what_is_nested_or_long_beyond_sense_is_refused(
    tmp_path: Path, value: str, said: str
) -> None:
    lines = await refusals(tmp_path, PLAIN + f'[[site.monitor]]\nid = "a"\nurl = {value}\n')
    assert said in "\n".join(lines)
    assert max(map(len, lines)) < 500


async def test_keys_with_many_dots_are_refused(tmp_path: Path) -> None:
    dots = ".".join("a" * 2_000)
    lines = await refusals(tmp_path, f"version = 1\nsettings.{dots} = 1\n{dots} = 2\n")
    assert [line.split(": ")[1] for line in lines] == ["settings.a", "a"]


async def test_of_ten_thousand_problems_a_thousand_are_told_and_the_rest_counted(
    tmp_path: Path,
) -> None:
    text = "version = 1\n" + "".join(f"key{n} = 1\n" for n in range(10_000))
    *lines, last = await refusals(tmp_path, text)
    assert (len(lines), last) == (1_000, "And 9000 more.")


async def test_what_was_refused_does_not_stay_in_memory(tmp_path: Path) -> None:
    text = PLAIN + "".join(
        f'[[site.monitor]]\nid = "m{n}"\nurl = "https://x.example"\nevery = "1s"\n'
        for n in range(200)
    )
    tracemalloc.start()
    try:
        async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
            sizes = []
            for _ in range(6):
                with pytest.raises(RefusedFile):
                    await app.plan(text, "shop.toml")
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[1] < 200_000


async def test_a_file_is_read_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = MONITOR + "".join(f"# a long comment {n}\n" for n in range(100_000))
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        spent = await measured(monkeypatch)
        began = time.process_time()
        await app.plan(text, "shop.toml")
        assert max(spent) < (time.process_time() - began) / 2


async def test_a_table_knows_where_it_stands() -> None:
    declared, faults = read_declared(MONITOR, "shop.toml")
    assert not faults
    (monitor,) = declared.monitors
    assert (monitor.id, monitor.way) == ("home", ("site", 0, "monitor", 0))
    assert (monitor.keys["site"], monitor.title) == ("shop", "site.shop.monitor.home")
