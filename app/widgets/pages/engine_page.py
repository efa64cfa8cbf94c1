"""What the engine does, for the curious: slots, memory, time, kernels, and the selftest."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QShowEvent

from app.bridge.engine_watch import EngineWatch
from app.bridge.types import EngineSnapshot, SlotSnapshot, SlotWork
from app.itemmodels.engine_facts import (
    device_text,
    held_text,
    kernels_text,
    memory_name,
    memory_text,
    passes_text,
    slot_text,
    time_shares,
    time_text,
    trials_text,
)
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.pages.fact_table import Fact, FactTable
from app.widgets.pages.side_page import SidePage


class EnginePage(SidePage):
    """Follows the engine while it is in sight, and asks nothing of it otherwise."""

    def __init__(self, theme: Theme, watch: EngineWatch) -> None:
        super().__init__(theme, "enginePage", self.tr("Engine"))
        self._watch = watch
        self._tables = {}
        for name, title in (
            ("engineModel", self.tr("Kernels and devices")),
            ("engineSlots", self.tr("Slots")),
            ("engineMemory", self.tr("Memory")),
            ("engineTime", self.tr("Time")),
        ):
            self.add_heading(title)
            self._tables[name] = FactTable(name)
            self.column.addWidget(self._tables[name])
        self.add_heading(self.tr("Selftest"))
        self._found = self.add_text()
        self._found.setObjectName("selftestResult")
        self._test = ThemedButton(theme, "runSelftest", text=self.tr("Run the selftest"))
        self._test.clicked.connect(watch.test)
        self.column.addSpacing(8)
        self.column.addWidget(self._test, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch()
        watch.changed.connect(self._refresh)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        self._watch.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        self._watch.watch(False)

    def _refresh(self) -> None:
        self._tell_trials()
        if seen := self._watch.seen:
            self._tables["engineModel"].show_facts(self._model_facts(seen))
            self._tables["engineSlots"].show_facts(self._slot_facts(seen))
            self._tables["engineMemory"].show_facts(self._memory_facts(seen))
            self._tables["engineTime"].show_facts(self._time_facts(seen))

    def _model_facts(self, seen: EngineSnapshot) -> list[Fact]:
        loaded = seen.loaded
        facts = []
        if loaded:
            drafts = f" + {loaded.draft.name}" if loaded.draft else ""
            facts.append(Fact(self.tr("Model"), f"{loaded.summary.name}{drafts}"))
            facts.append(Fact(self.tr("Kernels"), kernels_text(loaded)))
        else:
            facts.append(Fact(self.tr("Model"), self.tr("none loaded")))
        for device in seen.devices:
            used = loaded is not None and device.name == loaded.device
            name = self.tr("Device in use") if used else self.tr("Device")
            share = 1 - device.free_bytes / max(1, device.total_bytes)
            facts.append(Fact(name, device_text(device), share))
        return facts

    def _slot_facts(self, seen: EngineSnapshot) -> list[Fact]:
        if seen.loaded is None:
            return [Fact(self.tr("Slots"), self.tr("none without a model"))]
        context = seen.loaded.context
        facts = [
            Fact(
                self.tr("Slot {number}").format(number=number),
                slot_text(slot, context),
                _share(slot, context),
                "" if slot.work is SlotWork.FREE else "text",
            )
            for number, slot in enumerate(seen.slots, 1)
        ]
        if seen.waiting:
            facts.append(Fact(self.tr("Waiting"), str(seen.waiting)))
        return facts

    def _memory_facts(self, seen: EngineSnapshot) -> list[Fact]:
        facts = [Fact(memory_name(use.kind), memory_text(use), use.in_use) for use in seen.memory]
        return [*facts, Fact(self.tr("All together"), held_text(seen), look="text")]

    def _time_facts(self, seen: EngineSnapshot) -> list[Fact]:
        facts = [Fact(self.tr("Passes"), passes_text(seen.totals))]
        if seen.totals.passes:
            facts += [
                Fact(name, time_text(seconds, share), share)
                for name, seconds, share in time_shares(seen.totals)
            ]
        return facts

    def _tell_trials(self) -> None:
        trials = self._watch.trials
        self._test.setEnabled(not self._watch.is_testing)
        look = ""
        if self._watch.is_testing:
            text = self.tr("Trying every operation on everything that can compute here…")
        elif trials is None:
            text = self.tr(
                "Tries every operation on this computer, and that each row of a pass has the same "
                "bits whatever shares the pass. It takes some seconds."
            )
        else:
            text = trials_text(trials)
            look = "good" if all(trial.passed for trial in trials) else "bad"
        self._found.setText(text)
        self._found.setProperty("look", look or "dim")
        self._found.style().polish(self._found)


def _share(slot: SlotSnapshot, context: int) -> float | None:
    """How full its context is; None where it is free."""
    return None if slot.work is SlotWork.FREE else slot.computed / max(1, context)
