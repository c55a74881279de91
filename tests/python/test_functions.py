"""Python functions as forces, controllers and events, in every formulation."""

import math
import unittest

from common import main, pendulum, pf

import numpy  # after `common`, which skips the test where there is none


def slider():
    model = pf.Model("slider", gravity=[0, 0, 0])
    model.body("mass", mass=2.0, inertia={"xx": 1, "yy": 1, "zz": 1})
    model.joint("slide", type="prismatic", base="ground", moving="mass", position=[0, 0, 0], axis=[1, 0, 0],
                initial={"position": 0.5})
    return model


class Functions(unittest.TestCase):
    def test_a_spring_in_every_formulation(self):
        model = slider()
        model.function("spring", lambda t, q, v: -8 * q - 0.4 * v, joint="slide")
        same = slider()
        same.force("spring", type="joint-spring-damper", joint="slide", stiffness=8, damping=0.4)
        settings = dict(duration=2, integrator="dopri5", rtol=1e-10, atol=1e-12)
        expected = same.run("cartesian", **settings)["slide.q"]
        for name in same.solvers:
            found = model.run(name, **settings)["slide.q"]
            numpy.testing.assert_allclose(found, expected, atol=1e-8, err_msg=name)

    def test_a_force_between_two_bodies(self):
        def make():
            model = pf.Model("pair", gravity=[0, 0, 0])
            for name, x in (("a", 0), ("b", 2)):
                model.body(name, mass=1.0, position=[x, 0, 0], inertia={"xx": 1, "yy": 1, "zz": 1})
                model.joint(name + "_free", type="free", base="ground", moving=name)
            return model

        def pull(t, a, b):
            line = b.position - a.position
            length = numpy.linalg.norm(line)
            return 5 * (length - 1) * line / length

        model, same = make(), make()
        model.function("pull", pull, between=[("a", [0, 0.1, 0]), ("b", [0, 0, 0])])
        same.force("pull", type="spring-damper", a={"body": "a", "point": [0, 0.1, 0]},
                   b={"body": "b", "point": [0, 0, 0]}, stiffness=5, free_length=1)
        for solver in ("riccati", "particles", "cartesian"):
            found = model.run(solver, duration=1, integrator="dopri5", rtol=1e-10)
            expected = same.run(solver, duration=1, integrator="dopri5", rtol=1e-10)
            numpy.testing.assert_allclose(found["a.x"], expected["a.x"], atol=1e-8)
            numpy.testing.assert_allclose(found["b.wz"], expected["b.wz"], atol=1e-8)
        self.assertLess(found.record["energy_drift"], 1e-5)

    def test_a_controller_with_a_state(self):
        model = pendulum()

        def pid(t, q, v, x):
            return -30 * q - 10 * v - 40 * x[0], [q]

        model.function("pid", pid, joint="pin", states={"integral": 0})
        result = model.run(duration=8, integrator="dopri5")
        self.assertLess(abs(result["pin.q"][-1]), 1e-3)
        # The integral carries the weight.
        self.assertAlmostEqual(result["pid.integral"][-1] * 40, 9.81 * 0.5, delta=0.05)

    def test_an_event_ends_the_run(self):
        model = pendulum()
        model.event("down", lambda t, q, v: q - math.pi / 2, joint="pin")
        result = model.run(duration=5, integrator="dopri5", rtol=1e-10)
        self.assertEqual(result.status, "interrupted")
        self.assertEqual(result.record["ended_by"], "down")
        self.assertAlmostEqual(result["pin.q"][-1], math.pi / 2, delta=1e-6)
        self.assertEqual(result.time[-1], result.record["time"])

    def test_modes_change_at_events(self):
        model = slider()
        model.function("stop", lambda t, q, v, mode: -1 if mode == 0 else 3, joint="slide", modes=["push", "back"],
                       events=[pf.Event("zero", lambda t, q, v, mode: q, "falling", mode=1)])
        result = model.run(duration=3, integrator="dopri5", rtol=1e-10)
        # From 0.5 m at rest with -1 N on 2 kg: at zero after sqrt(2) s, with -1/sqrt(2) m/s; then 1.5 m/s².
        at = math.sqrt(2)
        late = result.time > at + 1e-6
        t = result.time[late] - at
        numpy.testing.assert_allclose(result["slide.q"][late], -t / math.sqrt(2) + 0.75 * t * t, atol=1e-7)
        self.assertEqual(result["stop.mode"][-1], 1)

    def test_an_exception_ends_the_run_and_keeps_the_rows(self):
        model = slider()

        def law(t, q, v):
            if t > 0.5:
                raise ZeroDivisionError("at half past")
            return 0.0

        model.function("law", law, joint="slide")
        for solver in ("riccati", "cartesian"):
            with self.assertRaisesRegex(pf.SimulationError, "law.*at half past") as caught:
                model.run(solver, duration=2)
            self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)
            result = caught.exception.result
            self.assertEqual(result.status, "failed")
            self.assertGreater(len(result.time), 3)
            self.assertLess(result.time[-1], 0.6)

    def test_what_a_function_returns_is_judged(self):
        for wrong, kind in (("text", TypeError), ([1, 2, 3], ValueError), (None, TypeError)):
            model = slider()
            model.function("law", lambda t, q, v: wrong, joint="slide")
            with self.assertRaises(pf.SimulationError) as caught:
                model.run(duration=0.1)
            self.assertIsInstance(caught.exception.__cause__, kind)

    def test_a_function_is_part_of_a_derivative(self):
        model = slider()
        model.function("push", lambda t, q, v: 6.0, joint="slide")
        solver = model.solver("riccati")
        numpy.testing.assert_allclose(solver.derivative(0, solver.encode())[-1], 3)

        broken = slider()
        broken.function("push", lambda t, q, v: 1 / 0, joint="slide")
        with self.assertRaises(pf.SimulationError):
            solver = broken.solver("riccati")
            solver.derivative(0, solver.encode())

    def test_compare_takes_functions(self):
        model = slider()
        model.function("spring", lambda t, q, v: -8 * q, joint="slide")
        made = model.compare(["riccati", "cartesian"], duration=0.2)
        self.assertEqual(made["cartesian"]["status"], "done")

    def test_wrong_names(self):
        model = slider()
        model.function("f", lambda t, q, v: 0, joint="slid")
        with self.assertRaisesRegex(pf.ModelError, "Did you mean 'slide'"):
            model.run(duration=0.1)
        model = slider()
        with self.assertRaises(pf.ModelError):
            model.function("f", lambda t: 0)
        with self.assertRaisesRegex(TypeError, "polyform.Event"):
            model.function("f", lambda t, q, v: 0, joint="slide", events=[lambda t: 0])


if __name__ == "__main__":
    main()
