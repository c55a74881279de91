"""What a call costs. Figures are printed; only gross ones fail, for the machine may be busy."""

import timeit
import unittest

from common import main, model_file, pendulum, pf

import numpy  # after `common`, which skips the test where there is none


def best(function, number=2000, repeat=7):
    return min(timeit.repeat(function, number=number, repeat=repeat)) / number


class Speed(unittest.TestCase):
    def test_overhead_of_a_derivative(self):
        solver = pendulum().solver("riccati")
        y, out = solver.encode(), numpy.empty(2)
        batch = numpy.tile(y, (4096, 1))
        target = numpy.empty_like(batch)
        each = best(lambda: solver.derivative(0.0, batch, target), number=5) / len(batch)
        call = best(lambda: solver.derivative(0.0, y, out))
        fresh = best(lambda: solver.derivative(0.0, y))
        print(f"evaluation {each * 1e9:.0f} ns; a call {call * 1e9:.0f} ns with out=, {fresh * 1e9:.0f} ns without")
        self.assertLess(call - each, 20e-6)


if __name__ == "__main__":
    main()
