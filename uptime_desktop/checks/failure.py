"""Why a check could not succeed, as it travels from where it is seen to where it is told."""

from uptime_desktop.domain.status import Status


def sentence(template: str, **values: str | int) -> str:
    """Words and what fills them, kept apart up to here so that the words can be translated."""
    return template.format(**values)


class Failed(Exception):
    """One short sentence for people: a template and what fills it.

    `status` is `UNKNOWN` where the fault is on our side and says nothing about the target.
    """

    def __init__(self, template: str, status: Status = Status.DOWN, **values: str | int) -> None:
        super().__init__(template)
        self.template = template
        self.values = values
        self.status = status

    @property
    def reason(self) -> str:
        return sentence(self.template, **self.values)

    def __str__(self) -> str:
        return self.reason
