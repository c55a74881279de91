"""Arguments of the functions of a model, as the compiled part takes them."""

import os
from collections.abc import Iterable, Mapping


def _text(value):
    """A value as one would type it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_text(v) for v in value) + "]"
    return str(value)


def _map(given, argument, what="names and values"):
    if not isinstance(given, Mapping):
        raise TypeError(f"{argument}: expected a dict of {what}, found {given!r}")
    return given


def _pairs(options, argument):
    return [(str(name), _text(value)) for name, value in _map(options, argument).items()]


def _names(given):
    return [given] if isinstance(given, str) else list(given or [])


def _levels(values):
    return values if isinstance(values, str) else ",".join(_text(v) for v in values)


def _settings(given):
    """Arguments for the compiled part: options as texts, None left out."""
    made = {name: value for name, value in given.items() if value is not None}
    for name in ("options", "integrator_options"):
        if name in made:
            made[name] = _pairs(made[name], name)
    columns = made.get("columns", "")
    if not isinstance(columns, str):
        names = list(columns) if isinstance(columns, Iterable) else [columns]
        if not all(isinstance(name, str) for name in names):
            raise TypeError(f"columns: expected a text or a list of texts, found {columns!r}")
        made["columns"] = ",".join(names)
    for name in ("output", "state"):
        if name in made:
            made[name] = os.fsencode(made[name])
    for name in ("progress", "stop"):
        if name in made and not callable(made[name]):
            raise TypeError(f"{name}: expected a function, found {made[name]!r}")
    return made


_fmu_arguments = ("fmi", "kind", "inputs")
_run_arguments = ("duration", "step", "max_step", "rtol", "atol", "output_interval", "integrator",
                  "integrator_options", "options", "solver", "columns", "euler_angles", "output", "progress", "stop",
                  "state", "start_time")


def _without(*names):
    return tuple(name for name in _run_arguments if name not in names)


_compare_arguments = (*_without("solver", "options"), "tolerance", "jobs", "time_limit")
_study_arguments = _without("progress", "output", "columns")
_export_arguments = (*_fmu_arguments, *_without("progress", "stop", "output"))


def _checked(given, known, what):
    for name in given:
        if name not in known:
            import difflib
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"{what}() has no argument {name!r}." + (f" Did you mean {near[0]!r}?" if near else "") +
                            f" Arguments: {', '.join(known)}.")
    return given
