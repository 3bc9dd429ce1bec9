"""The summary of a report names what was lost, whatever else has the same name."""

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.report import Fate, Fields, Report

WHY = Sentence("it is over")


def thing(report: Report, name: str, place: str, *, is_taken: bool) -> None:
    fields = Fields(report, name, place, {"url": "x", "port": 1})
    if is_taken:
        fields.mapped("url", "url")
    fields.unsupported("url", WHY)
    fields.unsupported("port", WHY)


def test_what_nothing_came_of_is_lost() -> None:
    report = Report()
    thing(report, "Shop", "monitors[0]", is_taken=True)
    thing(report, "Blog", "monitors[1]", is_taken=False)
    assert report.lost("Kuma") == {"Blog": WHY}


def test_one_is_lost_though_another_of_its_name_was_taken() -> None:
    report = Report()
    for at, is_taken in enumerate((True, False, False)):
        thing(report, "Shop", f"monitors[{at}]", is_taken=is_taken)
    assert report.lost("Kuma") == {"Shop (monitors[1])": WHY, "Shop (monitors[2])": WHY}


def test_what_is_in_a_thing_is_not_lost_by_itself() -> None:
    report = Report()
    fields = Fields(report, "Shop", "monitors[0]", {"url": "x", "tags": {"a": 1}})
    fields.mapped("url", "url")
    fields.inside("tags", {"a": 1}).finish()
    assert report.lost("Kuma") == {}


def test_what_is_the_program_s_own_is_not_lost_but_a_monitor_of_its_name_is() -> None:
    report = Report()
    report.note("Kuma", "setting[0]", "x", Fate.UNSUPPORTED, WHY)
    thing(report, "Kuma", "", is_taken=False)
    assert report.lost("Kuma") == {}
    thing(report, "Kuma", "monitors[3]", is_taken=False)
    assert report.lost("Kuma") == {"Kuma (monitors[3])": WHY}


def test_what_is_left_out_as_a_whole_is_lost_though_its_fields_were_understood() -> None:
    report = Report()
    thing(report, "Shop", "monitors[0]", is_taken=True)
    report.note("Shop", "", "", Fate.UNSUPPORTED, WHY)
    report.note("Blog", "", "", Fate.APPROXIMATED, WHY)
    assert report.lost("Kuma") == {"Shop": WHY}
