"""Polyform: multibody dynamics with formulations as plugins.

Read a model, or build one with the keys of the model file, and run it with any formulation:

>>> import polyform as pf
>>> model = pf.Model("pendulum", gravity=[0, 0, -9.81])
>>> model.body("rod", mass=1, center_of_mass=[0.5, 0, 0], inertia={"xx": 0, "yy": 0.1, "zz": 0.1})
Item({'name': 'rod', ...})
>>> model.joint("pin", base="ground", moving="rod", type="revolute", position=[0, 0, 0], axis=[0, 1, 0])
Item({'name': 'pin', ...})
>>> result = model.run(duration=1)
>>> result["pin.q"].shape, result.units["pin.q"]
((101,), 'rad')

Everything that goes wrong is a subclass of ``polyform.Error`` with what, where, why and what to do.
"""

from ._errors import Error, Interrupted, Message, ModelError, PluginError, PolyformWarning, SimulationError
from ._functions import Event, Motion
from ._model import Item, Model, read
from ._polyform import Solver, __version__
from ._result import Result, Study

__all__ = [
    "Error", "Event", "Interrupted", "Item", "Message", "Model", "ModelError", "Motion", "PluginError",
    "PolyformWarning", "Result", "SimulationError", "Solver", "Study", "__version__", "read",
]
