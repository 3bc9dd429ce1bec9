"""How often somebody may do something."""

from uptime_desktop.server.limits import Limits


def test_sixty_a_minute_and_then_none() -> None:
    limits = Limits(60, 10)
    assert all(limits.allows("a", 5.0) for _ in range(60))
    assert not limits.allows("a", 5.0)
    assert not limits.allows("a", 64.9)


def test_a_new_minute_begins_when_the_old_one_is_over() -> None:
    limits = Limits(2, 10)
    assert limits.allows("a", 0.0)
    assert limits.allows("a", 59.0)
    assert not limits.allows("a", 59.9)
    assert limits.allows("a", 60.0)
    assert limits.allows("a", 119.0)
    assert not limits.allows("a", 119.9)


def test_what_is_refused_does_not_count() -> None:
    limits = Limits(1, 10)
    assert limits.allows("a", 0.0)
    assert not any(limits.allows("a", second) for second in range(1, 60))
    assert limits.allows("a", 60.0)


def test_each_has_a_minute_of_their_own() -> None:
    limits = Limits(1, 10)
    assert limits.allows("a", 0.0)
    assert limits.allows("b", 30.0)
    assert limits.allows("a", 60.0)
    assert not limits.allows("b", 60.0)


def test_who_has_not_come_for_a_minute_is_forgotten() -> None:
    limits = Limits(5, 10)
    for number in range(8):
        limits.allows(number, 0.0)
    limits.allows("late", 60.0)
    assert len(limits) == 1


def test_no_more_are_known_than_asked_for() -> None:
    limits = Limits(1, 100)
    assert all(limits.allows(number, 0.0) for number in range(10_000))
    assert len(limits) == 100
    assert not limits.allows(9_999, 1.0)
