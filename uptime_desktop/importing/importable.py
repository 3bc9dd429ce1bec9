"""What of another program's file is to be added, and what cannot be."""

from dataclasses import dataclass, field

from uptime_desktop.changes import Changes
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Site
from uptime_desktop.domain.refusal import Refused, Told
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.drafting import Draft
from uptime_desktop.exchange.report import Fate


@dataclass(frozen=True, slots=True)
class Note:
    """What became of something as a whole, other than that it was taken as it is."""

    thing: str
    fate: Fate
    how: str


@dataclass
class Importable:
    """What is to be added. `names` are the ids that monitors of the file have here, be they new or
    `twins` of ours; `channel_names` the same of channels."""

    names: dict[str, str] = field(default_factory=dict)
    twins: set[str] = field(default_factory=set)
    drafts: dict[str, Draft] = field(default_factory=dict)
    sites: dict[str, Site] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    channel_names: dict[str, str] = field(default_factory=dict)
    windows: dict[str, Window] = field(default_factory=dict)
    paused: frozenset[str] = frozenset()
    secrets: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def refuse(self, thing: str, refused: Refused) -> None:
        why = Sentence("{field}: {problem}", field=refused.field, problem=Told(refused))
        left_out = Sentence("it cannot be taken: {reason}", reason=why)
        self.notes.append(Note(thing, Fate.UNSUPPORTED, left_out))

    def changes(self) -> Changes:
        secrets = dict(self.secrets)
        for draft in self.drafts.values():
            secrets |= draft.secrets
        return Changes(
            added=[draft.monitor for draft in self.drafts.values()],
            paused=self.paused,
            sites=list(self.sites.values()),
            windows=list(self.windows.values()),
            secrets=secrets,
            meanings={name: draft.meaning for name, draft in self.drafts.items()},
            channels=list(self.channels.values()),
        )
