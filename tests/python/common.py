"""What the tests of the Python module share."""

import os
import sys
import unittest
import warnings

MODELS = os.environ["POLYFORM_MODELS"]
COMMAND = os.environ["POLYFORM_COMMAND"]

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import polyform as pf


def model_file(name):
    return os.path.join(MODELS, name + ".yaml")


def pendulum(**keys):
    """A rod of length 1 about the y axis of its pin, horizontal at the start."""
    model = pf.Model("rod", gravity=[0, 0, -9.81], **keys)
    model.body("rod", mass=1.0, center_of_mass=[0.5, 0, 0], inertia={"xx": 0, "yy": 1 / 12, "zz": 1 / 12})
    model.joint("pin", type="revolute", base="ground", moving="rod", position=[0, 0, 0], axis=[0, 1, 0])
    return model


def main():
    warnings.simplefilter("error", pf.PolyformWarning)
    unittest.main(verbosity=2)
