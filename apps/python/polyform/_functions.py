"""Python functions as forces, controllers and events."""

import math
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional, Union

from ._errors import ModelError

_crossings = {"any": 0, "falling": -1, "rising": 1}


class Motion(NamedTuple):
    """Of a point of a body, ground axes, SI units; rotation is the body's, 3 x 3."""

    position: Any
    velocity: Any
    angular_velocity: Any
    rotation: Any


class Event(NamedTuple):
    """A function whose change of sign is found within a step.

    function is called as the law of its force and returns a number. mode: the number of the mode from then on, or a
    function of (rising, ...) that returns it. stop: the run ends there.
    """

    name: str
    function: Callable[..., float]
    crossing: str = "any"
    mode: Optional[Union[int, Callable[..., int]]] = None
    stop: bool = False


def _points(name, points):
    made = []
    for point in points:
        body, at = (point, (0, 0, 0)) if isinstance(point, str) else point
        at = tuple(float(x) for x in at)
        if len(at) != 3 or not all(math.isfinite(x) for x in at):
            raise ModelError(f"{name}: a point is (body, [x, y, z]), found {point!r}")
        made.append((body, at))
    return made


def _numbers(name, states):
    if not isinstance(states, Mapping):
        raise TypeError(f"{name}: states: expected a dict of names and initial values, found {states!r}")
    for key, value in states.items():
        if not isinstance(key, str) or isinstance(value, (str, bytes)):
            raise TypeError(f"{name}: states: expected a name and a number, found {key!r}: {value!r}")
    try:
        return {key: float(value) for key, value in states.items()}
    except (TypeError, ValueError):
        raise TypeError(f"{name}: states: expected names and numbers, found {states!r}") from None


def function(name, law, joint=None, between=None, point=None, states=None, modes=(), events=()):
    """What the compiled part takes for one function."""
    given = [what for what in (joint, between, point) if what is not None]
    if len(given) != 1:
        raise ModelError(f"{name}: give one of joint=, between= and point=, found {len(given)}")
    for event in events:
        if not isinstance(event, Event):
            raise TypeError(f"{name}: events are polyform.Event(...), found {event!r}")
    for what in (law, *(event.function for event in events)):
        if what is not None and not callable(what):
            raise TypeError(f"{name}: expected a function, found {what!r}")
    joints = [] if joint is None else [joint] if isinstance(joint, str) else list(joint)
    points = [] if joint is not None else _points(name, between if between is not None else [point])
    if between is not None and len(points) != 2:
        raise ModelError(f"{name}: between= takes two points, found {len(points)}")
    made = []
    for event in events:
        if event.crossing not in _crossings:
            raise ModelError(f"{name}: crossing is any, falling or rising, found {event.crossing!r}")
        made.append({"name": event.name, "function": event.function, "crossing": _crossings[event.crossing],
                     "mode": event.mode, "stop": bool(event.stop)})
    return {"name": name, "law": law, "joints": joints, "points": points,
            "states": _numbers(name, {} if states is None else states),
            "modes": list(modes), "events": made}
