"""Models: read from files, built, changed; the same as the command has them."""

import json
import math
import os
import pickle
import subprocess
import tempfile
import time
import unittest
import warnings
import zipfile

from common import COMMAND, MODELS, main, model_file, pendulum, pf

import numpy  # after `common`, which skips the test where there is none

ROBOT = os.path.join(MODELS, "arm.urdf")


def command(*arguments):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    return json.loads(done.stdout)


class Models(unittest.TestCase):
    def test_a_model_read_is_what_the_command_has(self):
        for name in ("double_pendulum", "four_bar_rhombus"):
            file = model_file(name)
            model = pf.read(file)
            self.assertEqual(model.check(), command("check", file, "--json"))
            said = command("evaluate", file, "--json")
            self.assertEqual(model.evaluate(), said)

    def test_a_model_built_is_the_model_of_the_file(self):
        model = pf.read(model_file("double_pendulum"))
        built = pf.Model(**{key: value for key, value in model.data.items() if key != "polyform"})
        self.assertEqual(built.evaluate()["bodies"], pf.read(model_file("double_pendulum")).evaluate()["bodies"])

    def test_a_change_is_seen(self):
        model = pendulum()
        before = model.evaluate()["joints"]["pin"]["acceleration"][0]
        self.assertAlmostEqual(before, 9.81 * 0.5 / (1 / 12 + 0.25), places=12)
        model.data["gravity"] = numpy.array([0.0, 0, -1.62])
        self.assertAlmostEqual(model.evaluate()["joints"]["pin"]["acceleration"][0], before * 1.62 / 9.81, places=12)
        model.data["bodies"][0]["inertia"].update(yy=0.75, zz=0.75)
        self.assertAlmostEqual(model.evaluate()["joints"]["pin"]["acceleration"][0], 1.62 * 0.5, places=12)

    def test_a_model_read_can_be_changed(self):
        model = pf.read(model_file("simple_pendulum"))
        count = len(model.bodies)
        model.body("further", mass=1, inertia={"xx": 1, "yy": 1, "zz": 1})
        model.joint("further_joint", type="free", base="ground", moving="further")
        self.assertEqual(len(model.bodies), count + 1)

    def test_names_and_solvers(self):
        model = pendulum()
        self.assertEqual((model.name, model.bodies, model.joints), ("rod", ["rod"], ["pin"]))
        self.assertIn("riccati", model.solvers)
        self.assertLessEqual(set(model.solvers), set(model.formulations))

    def test_all_solvers_agree(self):
        model = pendulum()
        expected = 9.81 * 0.5 / (1 / 12 + 0.25)
        for name in model.solvers:
            made = model.evaluate(solver=name)
            self.assertEqual(made["solver"], name)
            self.assertAlmostEqual(made["joints"]["pin"]["acceleration"][0], expected, places=9)

    def test_linearize_gives_arrays(self):
        made = pendulum().linearize(at="equilibrium")
        self.assertEqual(made["A"].shape, (2, 2))
        omega = math.sqrt(9.81 * 0.5 / (1 / 12 + 0.25))
        self.assertAlmostEqual(abs(numpy.linalg.eigvals(made["A"]).imag).max(), omega, places=8)

    def test_equilibrium(self):
        found = pendulum().equilibrium()
        self.assertTrue(found["balanced"])
        self.assertAlmostEqual(found["joints"]["pin"]["position"][0], math.pi / 2, places=9)

    def test_compare(self):
        made = pendulum().compare(["riccati", "cartesian"], duration=0.5)
        self.assertEqual(set(made) & {"riccati", "cartesian"}, {"riccati", "cartesian"})
        self.assertEqual(made["riccati"]["status"], "done")
        self.assertLess(made["riccati"]["position_deviation"], 1e-4)

    def test_study_of_a_built_model(self):
        study = pendulum().study({"gravity[2]": [-9.81, -1.62]}, {"low": "min(pin.q)", "end": "final(pin.v)"},
                                 duration=0.1, workers=2)
        self.assertEqual(len(study["low"]), 2)
        self.assertTrue(study.done.all())
        numpy.testing.assert_array_equal(study["gravity[2]"], [-9.81, -1.62])
        self.assertAlmostEqual(study["end"][0] / study["end"][1], 9.81 / 1.62, places=2)

    def test_imported_model_is_changed(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pf.PolyformWarning)
            held = pf.read(ROBOT)
            freedoms = held.check()["degrees_of_freedom"]
            joint = held.joints[-1]
            held.force("brake", type="joint-force", joint=joint, effort=1)
            self.assertIn("brake", [force["name"] for force in held.data["forces"]])
            self.assertEqual(held.check()["degrees_of_freedom"], freedoms)
            free = pf.read(ROBOT, import_options={"base": "free"})
            self.assertEqual(pickle.loads(pickle.dumps(free)).check()["degrees_of_freedom"], freedoms + 6)
            self.assertEqual(len(free.data["joints"]), len(free.joints))
            self.assertEqual(free.check()["degrees_of_freedom"], freedoms + 6)
            study = free.study({"bodies.pedestal.mass": [5, 10]}, {"drop": "initial(pedestal.z)-final(pedestal.z)"},
                               duration=0.2, workers=1)
            numpy.testing.assert_allclose(study["drop"], 0.5 * 9.81 * 0.04, atol=1e-7)
        with self.assertRaises(pf.ModelError):
            pf.read(ROBOT, import_options={"bass": "free"})

    def test_the_list_of_an_import_is_an_object_and_strict_refuses_losses(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pf.PolyformWarning)
            model = pf.read(ROBOT)
        conversion = model.conversion
        lost = sum(f["count"] for f in conversion["findings"] if f["treatment"] == "not honoured")
        self.assertEqual(conversion["not_honoured"], lost)
        self.assertGreater(lost, 0)
        self.assertIsNone(pendulum().conversion)
        self.assertIsNone(pf.read(model_file("double_pendulum")).conversion)
        with self.assertRaises(pf.ModelError) as raised:
            pf.read(ROBOT, strict=True)
        self.assertIn("would not be honoured", raised.exception.message)

    def test_export(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(os.fsencode(folder), b"r\xff.sdf")  # names of files are bytes
            told = pendulum().export(name)
            lost = [f["what"] for f in told["findings"] if f["treatment"] == "not honoured"]
            self.assertEqual((told["format"], lost), ("sdf", ["moving bodies without mass or with a moment of 0"]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pf.PolyformWarning)
                back = pf.read(name)
            self.assertEqual(back.bodies, ["rod"])
            self.assertEqual(back.conversion["format"], "sdf")
            model = pendulum()
            model.force("wind", type="point-force", body="rod", point=[0, 0, 0], force=[1, 0, 0])
            refused = os.path.join(folder, "refused.urdf")
            with self.assertRaises(pf.ModelError):
                model.export(refused, strict=True)
            self.assertFalse(os.path.exists(refused))
            with self.assertRaises(pf.ModelError) as raised:
                model.export(os.path.join(folder, "x.doc"))
            self.assertIn("mjcf", raised.exception.remedy)

    def test_export_of_fmus(self):
        model = pendulum()
        with tempfile.TemporaryDirectory() as folder:
            for fmi, kind in ((2, "cs"), (3, "me")):
                name = os.path.join(folder, f"pendulum_{fmi}.fmu")
                told = model.export(name, fmi=fmi, kind=kind, solver="riccati", columns=["pin.q", "energy"])
                self.assertEqual((told["outputs"], told["start_values"], told["states"] > 0), (7, 2, kind == "me"))
                with zipfile.ZipFile(name) as archive:
                    description = archive.read("modelDescription.xml").decode()
                self.assertIn(f'fmiVersion="{fmi}.0"', description)
                self.assertIn('name="start.pin.q"', description)
            # It runs as the model does: in another model, as a module of co-simulation.
            model.export(os.path.join(folder, "inner.fmu"), columns="pin.q", inputs="none", duration=2)
            outer = pf.Model("outer")
            outer.body("arm", mass=1, inertia=dict(xx=0.1, yy=0.1, zz=0.1))
            outer.joint("hinge", type="revolute", base="ground", moving="arm", position=[0, 0, 0], axis=[0, 0, 1])
            outer.module("other", type="fmu", file=os.path.join(folder, "inner.fmu"), kind="co-simulation",
                         joints=["hinge"], interval=0.1, channels="pin.q")
            there = outer.run(duration=1.05, output_interval=0.05)["other.pin.q"][-1]  # what it gave at 1 s
            self.assertAlmostEqual(there, model.run(duration=1)["pin.q"][-1], places=8)
            with self.assertRaises(pf.ModelError) as raised:
                model.export(os.path.join(folder, "x.fmu"), kind="both")
            self.assertIn("cs", raised.exception.remedy)
            with self.assertRaises(TypeError):
                model.export(os.path.join(folder, "x.sdf"), kind="cs")
            self.assertFalse(os.path.exists(os.path.join(folder, "x.fmu")))

    def test_texts_that_are_no_characters(self):
        model = pf.Model("rod")
        model.body("\ud800", mass=1)
        with self.assertRaises(ValueError) as raised:
            model.check()
        self.assertIn("UTF-8", str(raised.exception))

    def test_pickle(self):
        model = pickle.loads(pickle.dumps(pendulum()))
        self.assertEqual(model.bodies, ["rod"])

    def test_ten_thousand_bodies_are_built_at_once(self):
        begin = time.process_time()
        model = pf.Model("chain", gravity=[0, 0, -9.81])
        base = "ground"
        for k in range(10_000):
            body = f"b{k}"
            model.body(body, mass=1.0, position=[k, 0, 0], inertia={"xx": 0.1, "yy": 0.1, "zz": 0.1})
            model.joint(f"j{k}", type="revolute", base=base, moving=body, position=[k, 0, 0], axis=[0, 1, 0])
            base = body
        entered = time.process_time()
        self.assertEqual(len(model.bodies), 10_000)
        print(f"entries {entered - begin:.3f} s, read and assembled {time.process_time() - entered:.3f} s")


if __name__ == "__main__":
    main()
