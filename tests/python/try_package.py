"""Runs a model with the module that is found: try_package.py MODEL. Prints the status, and where the module is."""

import sys

import polyform

print(polyform.read(sys.argv[1]).run(duration=0.1).status, polyform.__file__)
