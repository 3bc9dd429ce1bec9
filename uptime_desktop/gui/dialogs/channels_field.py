"""Where alerts go: as for all, or only to channels that are ticked."""

from collections.abc import Iterable

from PySide6.QtWidgets import QCheckBox, QSizePolicy, QVBoxLayout, QWidget

from uptime_desktop.domain.alerts import DESKTOP, SOUND, Channel
from uptime_desktop.domain.model import Setting
from uptime_desktop.gui.dialogs.fields import CalmCombo, Field
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.i18n import tr


class ChannelsField(Field):
    """Gives ids, or None where it is left to the settings; none at all tells nobody."""

    def __init__(self, channels: Iterable[Channel]) -> None:
        self._whole = QWidget()
        self._whole.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        super().__init__("channels", tr("Tell"), self._whole, tr("where alerts about it go"))
        self.combo = CalmCombo()
        self.combo.addItems((tr("as set for all"), tr("only here")))
        self.combo.setAccessibleName(self.title)
        self.combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.boxes: dict[str, QCheckBox] = {}
        self.nobody = Hint(tr("Nobody is told; the tray and the window still show it."))
        self._layout = QVBoxLayout(self._whole)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._layout.addWidget(self.combo)
        self._add(DESKTOP, tr("Notifications on this computer"))
        self._add(SOUND, tr("…with a sound"))
        for channel in channels:
            off = tr("{name} (switched off)").format(name=channel.name)
            self._add(channel.id, channel.name if channel.is_on else off)
        self._layout.addWidget(self.nobody)
        self.boxes[DESKTOP].setChecked(True)
        self.setFocusProxy(self.combo)
        self.combo.currentIndexChanged.connect(self._follow)
        self._follow()

    def given(self) -> Setting | None:
        if not self._is_own:
            return None
        return tuple(id_ for id_, box in self.boxes.items() if box.isChecked())

    def fill(self, value: Setting) -> None:
        chosen = value if isinstance(value, tuple) else (str(value),)
        for id_ in chosen:
            if id_ not in self.boxes:
                # It was removed since; here it can be left out.
                self._add(id_, tr("{name} (missing)").format(name=id_))
        for id_, box in self.boxes.items():
            box.setChecked(id_ in chosen)
        self.combo.setCurrentIndex(1)

    @property
    def _is_own(self) -> bool:
        return self.combo.currentIndex() == 1

    def _add(self, id_: str, words: str) -> None:
        box = self.boxes[id_] = QCheckBox(words.replace("&", "&&"))
        box.setVisible(False)
        box.toggled.connect(self._follow)
        at = self._layout.indexOf(self.nobody)
        self._layout.insertWidget(self._layout.count() if at < 0 else at, box)

    def _follow(self) -> None:
        for box in self.boxes.values():
            box.setVisible(self._is_own)
        is_heard = self.boxes[DESKTOP].isChecked()
        # A sound is part of the notice on the screen.
        self.boxes[SOUND].setEnabled(is_heard)
        self.nobody.setVisible(self.given() == ())
        self.changed.emit()
