"""What the library says: messages, warnings and errors."""

import re
import warnings
from typing import NamedTuple

_option = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])")
_arguments = {"at-time": "start_time", "import-option": "import_options", "integrator-option": "integrator_options",
              "option": "options", "plugin-path": "plugin_paths"}


def _with_arguments(text):
    """A message that names arguments of functions in place of options of the command: max_step for --max-step."""
    return _option.sub(lambda found: _arguments.get(found[1], found[1].replace("-", "_")), text)


class Message(NamedTuple):
    """One thing that was found. line and column count from 1; 0 where they are not known."""

    severity: str
    text: str
    remedy: str = ""
    path: str = ""
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self):
        place = self.file
        if self.line:
            place += f":{self.line}" + (f":{self.column}" if self.column else "")
        parts = [part for part in (place, self.path) if part]
        return ": ".join(parts + [self.text]) + (f"\n  {self.remedy}" if self.remedy else "")


def message_of_command(severity, text, remedy, *place):
    path, *rest = place
    return Message(severity, _with_arguments(text), _with_arguments(remedy), _with_arguments(path), *rest)


class Error(Exception):
    """The base of all errors. message, remedy, path, file, line and column are those of the first one; messages has all
    that was said. __cause__ is what a Python function has raised, where that is the reason."""

    def __init__(self, messages=()):
        self.messages = [Message("error", messages)] if isinstance(messages, str) else list(messages)
        super().__init__(self._text())

    def _text(self):
        return "\n".join(str(m) for m in self.messages if m.severity == "error")

    def __str__(self):
        return self._text()

    def _first(self):
        return next((m for m in self.messages if m.severity == "error"), Message("error", ""))

    message = property(lambda self: self._first().text)
    remedy = property(lambda self: self._first().remedy)
    path = property(lambda self: self._first().path)
    file = property(lambda self: self._first().file)
    line = property(lambda self: self._first().line)
    column = property(lambda self: self._first().column)


class ModelError(Error, ValueError):
    """The model, or what is asked of it, is wrong (exit code 2 of the command)."""


class PluginError(Error, LookupError):
    """A plugin is missing or was refused (exit code 3)."""


class SimulationError(Error, RuntimeError):
    """The simulation failed (exit code 1). result holds the rows until then, where there are any."""

    result = None


class Interrupted(Error):
    """The work was stopped before it had a result (exit code 130)."""


class PolyformWarning(UserWarning):
    """What may be wrong with a model or a run."""


def warn(messages, stacklevel=3):
    for message in messages:
        if message.severity == "warning":
            warnings.warn(str(message), PolyformWarning, stacklevel=stacklevel)
