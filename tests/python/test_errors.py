"""Wrong input is a Python exception that says what, where and what to do; nothing crashes or hangs."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

from common import main, model_file, pendulum, pf

import numpy  # after `common`, which skips the test where there is none


class Errors(unittest.TestCase):
    def test_a_file_names_the_place(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "wrong.yaml")
            with open(file, "w") as out:
                out.write("polyform: 1\nbodies:\n  - {name: a, mass: -1, inertia: {xx: 1, yy: 1, zz: 1}}\n")
            with self.assertRaises(pf.ModelError) as caught:
                pf.read(file)
        error = caught.exception
        self.assertEqual((error.file, error.line), (file, 3))
        self.assertGreater(error.column, 0)
        self.assertIn("mass", error.path)
        self.assertIn(f"{file}:3:", str(error))

    def test_an_entry_names_the_line_of_python(self):
        model = pf.Model("wrong")
        model.body("a", mass=1, inertia={"xx": 1, "yy": 1, "zz": 1})
        line = sys._getframe().f_lineno + 1
        model.joint("j", type="revolut", base="ground", moving="a", position=[0, 0, 0], axis=[0, 0, 1])
        with self.assertRaises(pf.Error) as caught:
            model.check()
        self.assertEqual((caught.exception.file, caught.exception.line), (__file__, line))
        self.assertIn("revolute", str(caught.exception))

    def test_messages_name_arguments_and_no_options_of_the_command(self):
        with self.assertWarnsRegex(pf.PolyformWarning, r"Give an atol of") as caught:
            pendulum().run("cartesian", duration=0.01, integrator="dopri5", atol=1e-3)
        self.assertNotIn("--", str(caught.warning))

    def test_a_study_of_a_built_model_names_no_file_of_its_own(self):
        model = pendulum()
        model.body("loose", mass=1, inertia={"xx": 1, "yy": 1, "zz": 1})
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.study({"bodies.rod.mass": [1, 2]}, {"most": "max(pin.q)"}, duration=0.01)
        self.assertEqual([w for w in told if "model.yaml" in str(w.message)], [])

    def test_all_errors_at_once(self):
        model = pf.Model("wrong")
        model.body("a", mass=-1, inertia={"xx": 1, "yy": 1, "zz": 1}, colour="red")
        with self.assertRaises(pf.ModelError) as caught:
            model.check()
        self.assertGreaterEqual(sum(m.severity == "error" for m in caught.exception.messages), 2)

    def test_unknown_names_have_suggestions(self):
        model = pendulum()
        result = model.run(duration=0.01)
        with self.assertRaisesRegex(pf.ModelError, "pin.q"):
            result["pin.p"]
        with self.assertRaisesRegex(pf.PluginError, "Did you mean 'riccati'"):
            model.run("ricati")
        with self.assertRaisesRegex(TypeError, "Did you mean 'duration'|Did you mean 'step'"):
            model.run(stepp=1)
        with self.assertRaises(pf.ModelError):
            model.run(integrator="rk5")
        with self.assertRaises(pf.ModelError):
            model.run(columns="rods")
        with self.assertRaises(pf.ModelError):
            model.solver("riccati", no_such_option=1)

    def test_wrong_numbers(self):
        model = pendulum()
        for wrong in (-1, 0, float("nan"), float("inf")):
            with self.assertRaisesRegex(pf.ModelError, "duration"):
                model.run(duration=wrong)
        with self.assertRaisesRegex(TypeError, "duration.*'long'"):
            model.run(duration="long")
        with self.assertRaises(pf.ModelError):
            model.linearize(at="somewhere")

    def test_arguments_are_honoured_or_refused_by_name(self):
        model = pendulum()
        for name, wrong in (("options", {"nope": 1}), ("solver", "foo")):
            with self.assertRaisesRegex(TypeError, f"compare.. has no argument '{name}'"):
                model.compare(["riccati"], duration=0.1, **{name: wrong})
        for name, wrong in (("columns", "zzz"), ("jobs", 0), ("time_limit", -1), ("tolerance", -1), ("output", "-")):
            with self.assertRaisesRegex(pf.ModelError, name):
                model.compare(["riccati"], duration=0.1, **{name: wrong})
        vary, low = {"bodies.rod.mass": [1, 2]}, {"low": "min(pin.q)"}
        for name, given in (("progress", print), ("output", "s.csv"), ("columns", "joints")):
            with self.assertRaisesRegex(TypeError, f"study.. has no argument '{name}'"):
                model.study(vary, low, duration=0.1, **{name: given})
        with self.assertRaisesRegex(pf.ModelError, "time_limit"):
            model.study(vary, low, duration=0.1, time_limit=-1)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "x.fmu")
            for name, given in (("progress", print), ("stop", print), ("output", "s.csv"), ("strict", True)):
                with self.assertRaisesRegex(TypeError, name):
                    model.export(file, **{name: given})
            self.assertFalse(os.path.exists(file))

    def test_euler_angles_are_checked_where_nothing_is_told_in_them(self):
        model = pendulum()
        works = (lambda: model.run(duration=0.1, euler_angles="junk"),
                 lambda: model.linearize(euler_angles="junk"),
                 lambda: model.compare(["riccati"], duration=0.1, euler_angles="junk"),
                 lambda: model.study({"bodies.rod.mass": [1]}, {"a": "max(pin.q)"}, duration=0.1, euler_angles="junk"))
        for work in works:
            with self.assertRaisesRegex(pf.ModelError, "'junk' is no sequence of Euler angles(.|\n)*three of x, y, z"):
                work()

    def test_a_comparison_writes_the_rows_of_each_solver(self):
        with tempfile.TemporaryDirectory() as folder:
            pendulum().compare(["riccati", "cartesian"], duration=0.1, columns="pin.q",
                               output=os.path.join(folder, "c.csv"))
            self.assertEqual(sorted(os.listdir(folder)), ["c.cartesian.csv", "c.riccati.csv"])
            for name in os.listdir(folder):
                rows = numpy.genfromtxt(os.path.join(folder, name), delimiter=",", names=True)
                self.assertAlmostEqual(rows["time"][-1], 0.1)
                # Of a rod that falls from rest: 3 g / (2 l) t² / 2 at first.
                self.assertAlmostEqual(rows["pinq"][-1], 1.5 * 9.81 * 0.1 ** 2 / 2, delta=1e-4)

    def test_a_study_takes_angles_as_asked_for(self):
        def last(angles):
            return pendulum().study({"bodies.rod.mass": [1]}, {"last": "final(rod.angle3)", "first": "final(rod.angle1)"},
                                    duration=0.1, euler_angles=angles)

        turned = 1.5 * 9.81 * 0.1 ** 2 / 2  # about y
        self.assertAlmostEqual(last("zxy")["last"][0], turned, delta=1e-4)
        self.assertAlmostEqual(last("zxy, rod=yxz")["first"][0], turned, delta=1e-4)
        self.assertAlmostEqual(last("zyx")["last"][0], 0, delta=1e-12)

    def test_wrong_options_name_their_argument(self):
        for name, text in (("options", "options.nope"), ("integrator_options", "integrator_options.nope")):
            with self.assertRaisesRegex(pf.ModelError, "^" + text):
                pendulum().run("riccati", duration=0.1, integrator="dopri5", **{name: {"nope": 1}})

    def test_wrong_types_say_what_was_expected(self):
        model = pendulum()
        solver = model.solver("riccati")
        y = solver.encode()
        law = lambda t, q, v, x: 0.0
        for work, text in (
                (lambda: model.study("a", "b"), "vary: expected a dict of paths and values, found 'a'"),
                (lambda: model.study({"a": 1}, ["b"]), "quantities: expected a dict of names and expressions"),
                (lambda: model.function("f", law, joint="pin", states=["i"]), "states: expected a dict"),
                (lambda: model.function("f", law, joint="pin", states={"a": "b"}), "states: expected a name and a number"),
                (lambda: pf.read("x.urdf", import_options=["base"]), "import_options: expected a dict"),
                (lambda: pf.read("x.urdf", import_options=["base"], strict=True), "import_options: expected a dict"),
                (lambda: solver.encode([1, 2]), "encode: expected a dict of coordinates"),
                (lambda: solver.derivative("0", y), "t: expected a time in s, found '0'"),
                (lambda: solver.correct(None, y), "t: expected a time in s, found None")):
            with self.assertRaisesRegex(TypeError, text):
                work()

    def test_a_study_of_a_built_model_names_the_model_in_errors(self):
        with self.assertRaises(pf.Error) as caught:
            pendulum().study({"bodies.rodd.mass": [1]}, {"a": "max(pin.q)"}, duration=0.1)
        self.assertIn("rodd", str(caught.exception))
        self.assertNotIn("model.yaml", str(caught.exception))

    def test_an_event_of_truth_is_refused(self):
        for truth in (lambda t, q, v: q > 0.5, lambda t, q, v: numpy.bool_(q > 0.5)):
            model = pendulum()
            model.event("low", truth, joint="pin")
            with self.assertRaisesRegex(pf.SimulationError, "expected a number, whose change of sign"):
                model.run(duration=0.1)

    def test_wrong_shapes_and_types(self):
        solver = pendulum().solver("riccati")
        y = solver.encode()
        for wrong in (numpy.zeros(3), numpy.zeros((2, 3)), numpy.zeros((2, 2, 2)), numpy.zeros(0), 1.0):
            with self.assertRaises(ValueError):
                solver.derivative(0, wrong)
        for wrong in ("text", None, object(), {"a": 1}):
            with self.assertRaises((TypeError, ValueError)):
                solver.derivative(0, wrong)
        for wrong in (numpy.zeros(3), numpy.zeros(2, dtype=int), [0, 0], numpy.zeros(4)[::2]):
            with self.assertRaises((TypeError, ValueError)):
                solver.derivative(0, y, out=wrong)
        with self.assertRaisesRegex(ValueError, "share memory"):
            solver.derivative(0, y, out=y)
        with self.assertRaises(TypeError):
            solver.derivative(0, y + 1j)
        frozen = numpy.zeros(2)
        frozen.setflags(write=False)
        with self.assertRaises(ValueError):
            solver.derivative(0, y, out=frozen)
        with self.assertRaises(ValueError):
            solver.correct(0, frozen)
        with self.assertRaises(TypeError):
            solver.derivative("now", y)
        with self.assertRaises((ValueError, TypeError)):
            solver.observe(0, numpy.zeros(5))

    def test_wrong_data(self):
        for wrong in ({"mass": object()}, {"mass": lambda: 1}, {1: 2}, {"mass": {1, 2}}):
            model = pf.Model()
            with self.assertRaises((TypeError, pf.ModelError)):
                model.body("a", **{str(k): v for k, v in wrong.items()}) if 1 not in wrong else \
                    model.add("bodies", wrong)
                model.check()
        for wrong, place in ((1j, r"bodies\[0\].inertia.xx"), ({1}, r"bodies\[0\].inertia.xx")):
            model = pf.Model()
            model.body("a", mass=1, inertia={"xx": wrong})
            with self.assertRaisesRegex(TypeError, place + ": expected a number, .* found"):
                model.check()
        for name, wrong in (("options", 3), ("columns", 3), ("columns", [3]), ("integrator_options", "long")):
            with self.assertRaisesRegex(TypeError, name + ": expected .* found"):
                pendulum().run(duration=0.1, **{name: wrong})
        deep = []
        for _ in range(1000):
            deep = [deep]
        with self.assertRaises((ValueError, RecursionError)):
            pf.Model(bodies=deep).check()
        model = pf.Model(bodies=3)
        with self.assertRaises(pf.ModelError):
            model.check()
        with self.assertRaises(pf.ModelError):
            model.body("a", mass=1)

    def test_a_state_that_is_no_number(self):
        solver = pendulum().solver("riccati")
        try:
            solver.derivative(0, numpy.full(2, numpy.nan))
        except pf.SimulationError:
            pass  # either is right: NaN out, or a refusal

    def test_a_solver_outlives_its_model(self):
        solver = pendulum().solver("riccati")
        self.assertEqual(solver.derivative(0, solver.encode()).shape, (2,))

    def test_a_solver_below_its_own_function(self):
        model = pendulum()
        box = []

        def law(t, q, v):
            if box:
                box[0].derivative(0, numpy.zeros(2))
            return 0.0

        model.function("law", law, joint="pin")
        solver = model.solver("riccati")
        y = solver.encode()
        box.append(solver)
        with self.assertRaises(pf.SimulationError) as caught:
            solver.derivative(0, y)
        self.assertIn("at work", str(caught.exception))

    def test_ctrl_c_ends_a_run(self):
        model = pendulum()
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            model.run(duration=1e6, step=1e-4, output_interval=1e5)

    def test_ctrl_c_ends_a_comparison_and_a_study(self):
        model = pendulum()
        works = (lambda: model.compare(["riccati", "cartesian"], duration=1e5, step=1e-4, output_interval=1e4,
                                       integrator="rk4"),
                 lambda: model.study({"gravity[2]": "-9:-1:100000"}, {"low": "min(pin.q)"}, duration=1, workers=2))
        for work in works:
            threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                work()
            self.assertLess(time.monotonic() - begin, 60)

    def test_interrupts_and_failures_of_callbacks(self):
        def raising(kind):
            def f(*arguments):
                raise kind("on purpose")
            return f

        for name in ("progress", "stop"):
            with self.assertRaises(pf.SimulationError) as caught:
                pendulum().run(duration=1, **{name: raising(LookupError)})
            self.assertIn(f"the function `{name}` failed", str(caught.exception))
            self.assertIsInstance(caught.exception.__cause__, LookupError)
            with self.assertRaises(SystemExit):
                pendulum().run(duration=1, **{name: raising(SystemExit)})
        model = pendulum()
        model.event("broken", raising(LookupError), joint="pin")
        with self.assertRaises(pf.SimulationError) as caught:
            model.run(duration=1)
        self.assertIsInstance(caught.exception.__cause__, LookupError)

    def test_a_run_below_a_function(self):
        model, inner = pendulum(), pendulum()
        model.function("law", lambda t, q, v: 0 * inner.run(duration=0.01)["pin.q"][-1], joint="pin")
        self.assertEqual(model.run(duration=0.01, step=0.005, integrator="rk4").status, "done")

    def test_exit_with_everything_alive(self):
        script = ("import polyform as pf, numpy\n"
                  f"model = pf.read({model_file('double_pendulum')!r})\n"
                  "model.function('f', lambda t, q, v: 0.0, joint=model.joints[0])\n"
                  "solver = model.solver(); result = model.run(duration=0.01)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_warnings_are_python_warnings(self):
        model = pf.Model("loose", gravity=[0, 0, 0])
        model.body("a", mass=1, inertia={"xx": 1, "yy": 1, "zz": 1})
        with self.assertWarnsRegex(pf.PolyformWarning, "moves freely"):
            model.check()


if __name__ == "__main__":
    main()
