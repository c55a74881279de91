"""Solvers driven from Python: SciPy, batches, threads, an optimizer."""

import os
import tempfile
import threading
import unittest

from common import main, model_file, pendulum, pf

import numpy  # after `common`, which skips the test where there is none


class Solvers(unittest.TestCase):
    def test_the_derivative_of_a_pendulum(self):
        solver = pendulum().solver("riccati")
        self.assertEqual(solver.state_size, 2)
        y = solver.encode()
        ydot = solver.derivative(0, y)
        numpy.testing.assert_allclose(ydot, [0, 9.81 * 0.5 / (1 / 12 + 0.25)], atol=1e-12)
        out = numpy.empty(2)
        self.assertIs(solver.derivative(0, y, out=out), out)
        numpy.testing.assert_array_equal(out, ydot)

    def test_batches_are_observed(self):
        solver = pendulum().solver("riccati")
        states = numpy.array([solver.encode({"pin.q": q}) for q in (0.1, 0.2, 0.4)])
        one = [solver.observe(0.5, y) for y in states]
        for times in (0.5, [0.5, 0.5, 0.5]):
            many = solver.observe(times, states)
            for name, values in many.items():
                numpy.testing.assert_array_equal(values, [row[name] for row in one], err_msg=name)
        moved = solver.observe([0, 1, 2], numpy.asfortranarray(states))
        numpy.testing.assert_array_equal(moved["rod.z"], many["rod.z"])
        with self.assertRaises(ValueError):
            solver.observe([0, 1], states)

    def test_every_solver_observes_the_same(self):
        model = pf.read(model_file("double_pendulum"))
        seen = {}
        for name in model.solvers:
            solver = model.solver(name)
            y = solver.encode()
            self.assertEqual(y.shape, (solver.state_size,))
            seen[name] = solver.observe(0, y)
        first = next(iter(seen.values()))
        for name, values in seen.items():
            for column, value in values.items():
                if column.startswith(("constraint.", "correction.")) or ".violation" in column:
                    continue
                self.assertAlmostEqual(value, first[column], delta=1e-7 * (1 + abs(value)), msg=f"{name} {column}")

    def test_scipy_agrees_with_run(self):
        try:
            from scipy.integrate import solve_ivp
        except ImportError:
            self.skipTest("SciPy is not installed")
        model = pf.read(model_file("double_pendulum"))
        solver = model.solver("riccati")
        result = model.run("riccati", duration=1, integrator="dopri5", rtol=1e-11, atol=1e-12)
        path = solve_ivp(solver.derivative, (0, 1), solver.encode(), method="DOP853", rtol=1e-11, atol=1e-12)
        end = solver.observe(1, path.y[:, -1])
        for name in ("energy.total", *(c for c in result if c.endswith((".x", ".y", ".z", ".vx", ".vy")))):
            self.assertAlmostEqual(end[name], result[name][-1], delta=1e-7)

    def test_batches(self):
        solver = pf.read(model_file("double_pendulum")).solver("riccati")
        random = numpy.random.default_rng(1)
        states = solver.encode() + random.standard_normal((7, solver.state_size))
        all_at_once = solver.derivative(0, states)
        self.assertEqual(all_at_once.shape, states.shape)
        for state, ydot in zip(states, all_at_once):
            numpy.testing.assert_array_equal(solver.derivative(0, state), ydot)

    def test_coordinates_by_name(self):
        solver = pendulum().solver()
        y = solver.encode({"pin.q": 0.3, "pin.v": 2})
        seen = solver.observe(0, y)
        self.assertAlmostEqual(seen["pin.q"], 0.3, places=14)
        self.assertAlmostEqual(seen["pin.v"], 2, places=14)
        with self.assertRaisesRegex(pf.ModelError, "Did you mean 'pin.q'"):
            solver.encode({"pin.qq": 1})
        for wrong in [1, 0, 0, 0], "0.3", None:
            with self.assertRaisesRegex(pf.Error, "'pin.q': found .* expected names of coordinates with a number"):
                solver.encode({"pin.q": wrong})
        for wrong in float("nan"), numpy.inf:
            with self.assertRaisesRegex(pf.Error, "pin.q: found .*, expected a finite number"):
                solver.encode({"pin.q": wrong})
        self.assertEqual(solver.observe(0, solver.encode({"pin.q": numpy.float32(0.5)}))["pin.q"], 0.5)

    def test_states_follow_from_the_given_motion(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "servo.yaml")
            with open(file, "w") as out:
                out.write("""polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0, yy: 0.08333333333333333, zz: 0.08333333333333333}}
joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}]
signals: [{name: seen, type: sampler, input: q(pin), interval: 0.1}]
forces: [{name: servo, type: joint-force, joint: pin, effort: {expression: "-10*signal(seen)"}}]
""")
            solver = pf.read(file).solver("riccati")
            ydot = solver.derivative(0, solver.encode({"pin.q": 0.3, "pin.v": 0.1}))
        alpha = (9.81 * 0.5 * numpy.cos(0.3) - 3) / (1 / 12 + 0.25)
        numpy.testing.assert_allclose(ydot[:2], [0.1, alpha], rtol=1e-12)

    def test_dependent_coordinates_are_found(self):
        for name in "four_bar_rhombus", "slider_crank":
            for solver_name in "riccati", "cartesian":
                solver = pf.read(model_file(name)).solver(solver_name)
                start = solver.observe(0, solver.encode())
                joint = next(n for n in start if n.endswith(".q"))
                speed = joint[:-1] + "v"
                seen = solver.observe(0, solver.encode({joint: start[joint] + 0.05, speed: 0.7}))
                self.assertAlmostEqual(seen[joint], start[joint] + 0.05, places=9)
                self.assertAlmostEqual(seen[speed], 0.7, places=9)
                self.assertLess(seen["constraint.position"], 1e-9)
                self.assertLess(seen["constraint.velocity"], 1e-9)

    def test_loops_must_close(self):
        solver = pf.read(model_file("four_bar_rhombus")).solver()
        start = solver.observe(0, solver.encode())
        names = [n for n in start if n.endswith(".q")]
        with self.assertRaisesRegex(pf.SimulationError, "do not close the loops"):
            solver.encode({n: start[n] + 0.2 * (k + 1) for k, n in enumerate(names)})
        self.assertEqual(solver.observe(0, solver.encode())[names[0]], start[names[0]])

    def test_rotors_turn_with_their_joints(self):
        text = ('<mujoco><worldbody><body><joint name="j" axis="0 1 0" armature=".5"/>'
                '<geom size=".1" pos=".1 0 0"/></body></worldbody></mujoco>')
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "arm.xml")
            with open(path, "w") as file:
                file.write(text)
            solver = pf.read(path).solver()
            y = solver.encode({"j.q": 0.3, "j.v": 0.2})
        with self.assertRaisesRegex(pf.Error, "cannot be read once more"):
            solver.encode({"j.q": 0.3, "j.v": 0.2})
        seen = solver.observe(0, y)
        self.assertAlmostEqual(seen["j.q"], 0.3, places=12)
        self.assertAlmostEqual(seen["j.v"], 0.2, places=12)
        mass = 4000 * numpy.pi / 3 * 1e-3
        inertia = mass * (0.4 * 0.01 + 0.01) + 0.5
        acceleration = mass * 9.81 * 0.1 * numpy.cos(0.3) / inertia
        self.assertLess(numpy.abs(solver.derivative(0, y) - acceleration).min(), 1e-9)

    def test_correct_removes_drift(self):
        solver = pf.read(model_file("four_bar_rhombus")).solver("cartesian")
        y = solver.encode()
        y[0] += 1e-6
        self.assertGreater(solver.correct(0, y), 1e-8)
        self.assertLess(solver.correct(0, y), 1e-9)

    def test_two_threads_with_two_solvers(self):
        model = pf.read(model_file("chain_1000"))
        expected, found = {}, {}

        def work(name):
            solver = model.solver("riccati")
            y = solver.encode()
            total = numpy.zeros(solver.state_size)
            for k in range(50):
                total += solver.derivative(0, y + 1e-3 * k)
            found[name] = total

        work("alone")
        expected = found.pop("alone")
        threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numpy.testing.assert_array_equal(found["a"], expected)
        numpy.testing.assert_array_equal(found["b"], expected)

    def test_two_runs_at_once(self):
        model = pf.read(model_file("double_pendulum"))
        alone = model.run("riccati", duration=1).table
        found = []
        threads = [threading.Thread(target=lambda: found.append(model.run("riccati", duration=1).table))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for table in found:
            numpy.testing.assert_array_equal(table, alone)

    def test_an_optimizer_finds_a_start(self):
        try:
            from scipy.optimize import brentq
        except ImportError:
            self.skipTest("SciPy is not installed")
        # From which angle does the rod fall so that it passes the lowest point with 3 rad/s?
        model = pendulum()
        wanted = 3.0

        def miss(q):
            model.data["joints"][0]["initial"] = {"position": q}
            result = model.run(duration=2, integrator="dopri5", rtol=1e-10)
            return result["pin.v"].max() - wanted

        q = brentq(miss, 0.1, 1.4, xtol=1e-10)
        inertia = 1 / 12 + 0.25
        energy = 0.5 * inertia * wanted ** 2
        self.assertAlmostEqual(9.81 * 0.5 * (1 - numpy.sin(q)), energy, delta=2e-3)


if __name__ == "__main__":
    main()
