"""Rows of a run, and tables of studies."""

import difflib
import html
from collections.abc import Mapping

import numpy

from ._errors import ModelError, SimulationError, warn


def _are_same(a, b):
    return numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")


class _Columns(Mapping):
    """Columns by name; what NumPy, pandas and matplotlib take."""

    def __iter__(self):
        return iter(self._places)

    def __len__(self):
        return len(self._places)

    def __contains__(self, name):
        return name in self._places

    def get(self, name, default=None):
        """The column of this name, or the default where there is none."""
        return self[name] if name in self._places else default

    def __eq__(self, other):
        """Whether both have the same columns with the same numbers."""
        if not isinstance(other, _Columns):
            return NotImplemented
        return list(self) == list(other) and all(_are_same(self[name], other[name]) for name in self)

    __hash__ = None

    def _ipython_key_completions_(self):
        return list(self._places)


class _Kept:
    """What a result is made of after a copy or a pickle: the numbers, without the run."""

    def __init__(self, result):
        self.names, self.units = list(result), list(result.units.values())
        self.table, self.record, self.messages = result.table, result.record, result.messages

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.table.flags.writeable = False

    def index(self, name):
        near = difflib.get_close_matches(name, self.names, 1)
        raise ModelError(f"the result has no column {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))

    def page(self):
        raise SimulationError("a result that was pickled or copied has no page: make it where the run was done")


class Result(_Columns):
    """What a run gave: a mapping of column names to arrays.

    The arrays are views of the rows as they lie in memory, read-only and without copies. ``table`` has all of them,
    rows x columns; ``units`` the unit of each; ``record`` what `polyform run --json` prints. A result in a notebook
    draws itself: the page of `polyform run --report`, which needs no network. Pickled or copied, it keeps the numbers
    and loses the page.
    """

    def __init__(self, compiled):
        self._compiled = compiled
        names = compiled.names
        self._places = {name: k for k, name in enumerate(names)}
        self.table = compiled.table
        self.units = dict(zip(names, compiled.units))
        self.record = compiled.record
        self.messages = compiled.messages

    def __getitem__(self, name):
        place = self._places.get(name)
        if place is None:
            if not isinstance(name, str):
                raise TypeError(f"columns have names, found {name!r}")
            place = self._compiled.index(name)  # raises, with a suggestion
        return self.table[:, place]

    def __reduce__(self):
        return Result, (self._compiled if isinstance(self._compiled, _Kept) else _Kept(self),)

    @property
    def time(self):
        """The times of the rows, s."""
        return self.table[:, 0] if "time" not in self._places else self["time"]

    @property
    def status(self):
        """done, failed or interrupted."""
        return self.record["status"]

    def __repr__(self):
        r = self.record
        return (f"<polyform.Result of {r['model']!r} by {r['solver']}: {r['status']} at t = {r['time']:g} s, "
                f"{len(self.table)} rows, {len(self)} columns>")

    def page(self):
        """The page of the run: one file of HTML with scene, plots and tables, which opens offline."""
        return self._compiled.page()

    def save_page(self, file):
        """Writes page() to a file."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.page())

    def _repr_html_(self):
        try:
            page = self.page()
        except SimulationError:  # a build without the page: the text will do
            return None
        return ('<iframe style="width:100%;height:640px;border:0" sandbox="allow-scripts allow-downloads" srcdoc="'
                f'{html.escape(page, quote=True)}"></iframe>')


class Study(_Columns):
    """The table of a study: a mapping of factors and quantities to arrays, one entry per case.

    Factors that are numbers are arrays of numbers; quantities of cases that failed are NaN. ``done`` and ``reason`` say
    what became of each case.
    """

    def __init__(self, factors, quantities, units, cases, messages):
        self.factors, self.quantities = factors, quantities
        self.units = dict(zip(quantities, units))
        self.done = numpy.array([case[2] for case in cases], dtype=bool)
        self.reason = [case[3] for case in cases]
        self.messages = messages
        self._values = {}
        for k, name in enumerate(factors):
            texts = [case[0][k] for case in cases]
            try:
                self._values[name] = numpy.array([float(text) for text in texts])
            except ValueError:
                self._values[name] = numpy.array(texts)
        for k, name in enumerate(quantities):
            self._values[name] = numpy.array([case[1][k] for case in cases], dtype=float)
        self._places = self._values
        warn(messages)

    def __getitem__(self, name):
        if name in self._values:
            return self._values[name]
        raise KeyError(f"the study has no column {name!r}; it has {', '.join(self._values)}")

    def __repr__(self):
        return f"<polyform.Study of {len(self.done)} cases, {int(self.done.sum())} done: {', '.join(self._values)}>"

    def _repr_html_(self):
        names = list(self._values)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(str(self._values[n][k]))}</td>" for n in names) + "</tr>"
                       for k in range(min(len(self.done), 200)))
        more = f"<p>and {len(self.done) - 200} more cases</p>" if len(self.done) > 200 else ""
        return f"<table><tr>{head}</tr>{rows}</table>{more}"
