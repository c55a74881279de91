"""The examples in docstrings and on the page give what they say; stubs name what there is."""

import ast
import doctest
import os
import re
import unittest

from common import main, model_file, pf
from polyform import _errors, _functions, _model, _result

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FOLDER = os.path.dirname(os.path.realpath(pf.__file__))


class Documentation(unittest.TestCase):
    def test_docstrings(self):
        attempted = 0
        for module in (pf, _errors, _functions, _model, _result):
            done = doctest.testmod(module, optionflags=FLAGS)
            self.assertEqual(done.failed, 0, module.__name__)
            attempted += done.attempted
        self.assertGreater(attempted, 5)

    def test_the_page(self):
        page = os.path.join(os.path.dirname(os.environ["POLYFORM_MODELS"]), "pages", "python.md")
        with open(page) as file:
            text = file.read()
        names = {"model_file": model_file}
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            if "matplotlib" in block or "scipy" in block or "robot.urdf" in block:
                compile(block, page, "exec")
                continue
            exec(compile(block.replace('"double_pendulum.yaml"', 'model_file("double_pendulum")'), page, "exec"), names)

    def test_stubs(self):
        with open(os.path.join(FOLDER, "__init__.pyi")) as file:
            tree = ast.parse(file.read())
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        names = set(classes) | {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.assertLessEqual(set(pf.__all__) - {"__version__"}, names)
        for name in ("Model", "Result", "Study", "Solver"):
            stubbed = {node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)}
            stubbed |= {node.target.id for node in classes[name].body if isinstance(node, ast.AnnAssign)}
            real = {member for member in dir(getattr(pf, name)) if not member.startswith("_")}
            inherited = {"get", "items", "keys", "values"}
            self.assertEqual(real - stubbed - inherited, set(), name)
        self.assertTrue(os.path.exists(os.path.join(FOLDER, "py.typed")))


if __name__ == "__main__":
    main()
