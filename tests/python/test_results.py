"""Results: arrays without copies, units, records, pages."""

import copy
import os
import pickle
import tempfile
import unittest

from common import main, model_file, pendulum, pf

import numpy  # after `common`, which skips the test where there is none


class Results(unittest.TestCase):
    def test_results_with_the_same_numbers_are_equal(self):
        first, same, other = (pendulum().run(duration=d) for d in (0.1, 0.1, 0.2))
        self.assertTrue(first == first and first == same)
        self.assertTrue(first != other and first != 3)

    def test_columns_are_views_of_one_table(self):
        result = pendulum().run(duration=1)
        self.assertEqual(result.time.shape, (101,))
        for name in result:
            self.assertTrue(numpy.shares_memory(result[name], result.table))
            self.assertFalse(result[name].flags.writeable)
        column = result["rod.x"]
        kept = column.copy()
        del result
        numpy.testing.assert_array_equal(column, kept)  # the column holds the rows

    def test_units_and_record(self):
        result = pendulum().run("riccati", duration=0.2)
        self.assertEqual(result.units["rod.x"], "m")
        self.assertEqual(result.units["time"], "s")
        self.assertEqual(result.record["solver"], "riccati")
        self.assertEqual(result.status, "done")
        self.assertEqual(result.record["rows"], len(result.time))

    def test_pickles_and_copies_keep_the_numbers(self):
        result = pendulum().run(duration=0.1)
        for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(copy.copy(result))):
            self.assertEqual(list(other), list(result))
            self.assertEqual((other.units, other.record, other.status), (result.units, result.record, "done"))
            numpy.testing.assert_array_equal(other["rod.x"], result["rod.x"])
            with self.assertRaisesRegex(pf.ModelError, "Did you mean 'rod.x'"):
                other["rod.xx"]
            with self.assertRaisesRegex(pf.SimulationError, "no page"):
                other.page()
            self.assertIsNone(other._repr_html_())

    def test_the_rows_are_those_of_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rows.csv")
            result = pf.read(model_file("double_pendulum")).run(duration=0.3, output=file)
            written = numpy.genfromtxt(file, delimiter=",", names=True)
            self.assertEqual(len(written), len(result.time))
            numpy.testing.assert_array_equal(numpy.loadtxt(file, delimiter=",", skiprows=1), result.table)

    def test_a_run_goes_on_at_the_time_of_a_row(self):
        model = pendulum()
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "rows.csv")
            whole = model.run(duration=2, output_interval=0.5, rtol=1e-10, output=file)
            rest = model.run(duration=1, output_interval=0.5, rtol=1e-10, state=file, start_time=1)
            with self.assertRaisesRegex(pf.ModelError, "no row at t = 1.2 s"):
                model.run(duration=1, state=file, start_time=1.2)
        numpy.testing.assert_array_equal(rest.time, [1, 1.5, 2])
        numpy.testing.assert_allclose(rest["pin.q"], whole["pin.q"][2:], atol=1e-6)

    def test_columns_are_chosen(self):
        result = pendulum().run(duration=0.1, columns=["rod.*", "energy"])
        self.assertIn("rod.x", result)
        self.assertNotIn("pin.q", result)

    def test_energy_is_conserved(self):
        result = pendulum().run(duration=2, integrator="dopri5", rtol=1e-11, atol=1e-12)
        self.assertLess(abs(result["energy.total"] - result["energy.total"][0]).max(), 1e-8)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame(dict(pendulum().run(duration=0.1)))
        self.assertIn("pin.q", frame)
        self.assertEqual(len(frame), 101)

    def test_progress_and_stop(self):
        times = []
        result = pendulum().run(duration=5, progress=times.append, stop=lambda: times[-1] >= 1)
        self.assertEqual(result.status, "interrupted")
        self.assertGreaterEqual(result.record["time"], 1)
        self.assertLess(result.record["time"], 1.5)
        self.assertEqual(times, sorted(times))

    @unittest.skipUnless(os.environ.get("POLYFORM_HAS_PAGE"), "this build has no page")
    def test_a_notebook_shows_the_page(self):
        result = pendulum().run(duration=0.1)
        page = result.page()
        self.assertTrue(page.lstrip().lower().startswith("<!doctype html"))
        self.assertIn("columns-0-0", page)
        self.assertNotRegex(page, r'<(script|link|img)[^>]*(src|href)="https?:')
        self.assertIn("srcdoc=", result._repr_html_())


if __name__ == "__main__":
    main()
