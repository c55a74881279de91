"""Models: read from files, or built with the keys of the model file."""

import os
import pickle
import re
import sys

from . import _functions, _polyform
from ._arguments import (_checked, _compare_arguments, _export_arguments, _levels, _map, _names, _pairs, _run_arguments,
                         _settings, _study_arguments)
from ._errors import Error, ModelError, warn
from ._result import Result, Study

_lists = ("bodies", "joints", "forces", "constraints", "modules", "subsystems", "chains", "signals", "contacts", "parts",
          "place")
_item_path = re.compile(r"(%s)\[(\d+)\]" % "|".join(_lists))


class Item(dict):
    """An entry of a model, with the keys of the model file; it may be changed."""

    def __repr__(self):
        return f"Item({{'name': {self.get('name')!r}, ...}})"


def read(path, *, lenient=False, plugin_paths=(), import_options=None, strict=False):
    """Reads a model file of any format that is known.

    import_options: of the importer, where the file is one of another program: {"base": "free"}. strict: ModelError
    where something of such a file would not be honoured; `Model.conversion` tells what became of everything in it.

    >>> read("no_such_file.yaml")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    polyform.ModelError: cannot read no_such_file.yaml
    """
    model = Model.__new__(Model)
    model._is_file = True
    if strict:
        import_options = {**dict(_map(import_options or {}, "import_options")), "strict": True}
    model._begin(os.fspath(path), lenient, plugin_paths, import_options)
    model._compiled = _polyform.Model.read(os.fsencode(model._file), bool(lenient), model._plugin_paths, [],
                                           model._import_options)
    warn(model._compiled.messages)
    return model


class Model:
    """A model. ``Model()`` is empty; ``body``, ``joint``, ``force`` and the others add entries with the keys of the
    model file, which are judged together when the model is used, or by ``check``. A model from ``read`` can be changed
    in the same way. All of it is ``data``, as the file has it.

    >>> model = Model("free")
    >>> _ = model.body("stone", mas=1)
    >>> model.check()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    polyform._errors.ModelError: ...unknown key 'mas'...
    """

    def __init__(self, name=None, *, gravity=None, lenient=False, plugin_paths=(), **keys):
        frame = sys._getframe(1)
        self._begin(frame.f_code.co_filename, lenient, plugin_paths)
        self._data = {"polyform": 1}
        if name is not None:
            self._data["name"] = name
        if gravity is not None:
            self._data["gravity"] = gravity
        self._data.update(keys)

    def _begin(self, file, lenient, plugin_paths, import_options=None):
        self._file, self._lenient = os.fsdecode(file), bool(lenient)
        self._import_options = [f"{key}={value}" for key, value in _pairs(import_options or {}, "import_options")]
        self._plugin_paths = [os.fsencode(path) for path in _names(plugin_paths)]
        self._data = self._compiled = self._fingerprint = None
        self._functions = []
        self._stale = False
        self._places = {}

    _is_file = False

    # The entries of the file.

    @property
    def data(self):
        """The model as the file has it: a dict, which may be changed."""
        if self._data is None:
            self._data = _polyform.Model.document(os.fsencode(self._file), self._plugin_paths, self._import_options)
            if not isinstance(self._data, dict):
                raise ModelError(f"{self._file} holds no map")
            self._stale = True
        return self._data

    def add(self, section, entry):
        """Appends an entry to a list of the model, such as "subsystems"."""
        # Where the entry was made, for messages.
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        entries = self.data.setdefault(section, [])
        if not isinstance(entries, list):
            raise ModelError(f"{section}: the model has {entries!r} there, which is no list to add to")
        self._places[section, len(entries)] = (frame.f_code.co_filename, frame.f_lineno)
        entries.append(entry)
        return entry

    def body(self, name, **fields):
        """A body: mass, inertia, position and all other keys of a body in the model file."""
        return self.add("bodies", Item(name=name, **fields))

    def joint(self, name, **fields):
        """A joint: type, base, moving, position, axis and so on."""
        return self.add("joints", Item(name=name, **fields))

    def force(self, name, **fields):
        """A force: type and the fields of that type."""
        return self.add("forces", Item(name=name, **fields))

    def constraint(self, name, **fields):
        """A constraint element."""
        return self.add("constraints", Item(name=name, **fields))

    def module(self, name, **fields):
        """A module: an element with variables and equations of its own."""
        return self.add("modules", Item(name=name, **fields))

    def chain(self, name, **fields):
        """A chain of equal bodies."""
        return self.add("chains", Item(name=name, **fields))

    # Functions.

    def function(self, name, law, *, joint=None, between=None, point=None, states=None, modes=(), events=()):
        """A force or controller that is a Python function, in every formulation.

        joint="pin": law(t, q, v) returns the effort. q and v are numbers, or arrays where the joint has several.
        between=[("a", [x, y, z]), ("b", [x, y, z])]: law(t, a, b) returns the force on a, or force and moment, six
        numbers; the opposite acts on b. a and b are Motion. point=("a", [x, y, z]): the same on one body.

        states={"integral": 0}: the law gets a further argument x, the states, and returns (force, rates of x).
        modes=["open", "shut"]: it gets the number of the mode, last. events=[Event(...)] change it, or end the run.

        What the function raises ends the run with SimulationError, whose cause it is, and whose result has the rows
        until then. A law must depend on its arguments alone: steps may be tried and dropped.

        >>> model = Model(gravity=[0, 0, 0])
        >>> _ = model.body("mass", mass=1, inertia={"xx": 1, "yy": 1, "zz": 1})
        >>> _ = model.joint("slide", type="prismatic", base="ground", moving="mass", position=[0, 0, 0],
        ...                 axis=[1, 0, 0], initial={"position": 1})
        >>> _ = model.function("spring", lambda t, q, v: -4 * q, joint="slide")
        >>> result = model.run(duration=3.141592653589793, integrator="dopri5", rtol=1e-10)
        >>> abs(result["slide.q"][-1] - 1) < 1e-7
        True
        """
        made = _functions.function(name, law, joint, between, point, states, modes, events)
        if any(other["name"] == name for other in self._functions):
            raise ModelError(f"the name {name!r} is taken by another function")
        self._functions.append(made)
        self._stale = True

    def event(self, name, function, *, joint=None, between=None, point=None, crossing="any", stop=True):
        """An event: where function(t, q, v), or function(t, a, b), changes its sign, the run ends. Results have the
        column `<name>.mode`."""
        self.function(name, None, joint=joint, between=between, point=point,
                      events=[_functions.Event(name, function, crossing, None, stop)])

    # Assembly.

    def _located(self, messages):
        """The messages with the lines of Python where the entries were made."""
        made = []
        for m in messages:
            found = _item_path.match(m.path) if m.line == 0 else None
            place = self._places.get((found[1], int(found[2]))) if found else None
            made.append(m._replace(file=place[0], line=place[1]) if place else m)
        return made

    @property
    def _model(self):
        """The compiled model, made anew where entries have changed."""
        try:
            fingerprint = None if self._data is None else pickle.dumps(self._data, 5)
        except Exception:  # there is something in it that no model holds: assembly says what
            fingerprint = object()
        if self._compiled is not None and not self._stale and fingerprint == self._fingerprint:
            return self._compiled
        if self._data is None:
            compiled = _polyform.Model.read(os.fsencode(self._file), self._lenient, self._plugin_paths,
                                            self._functions, self._import_options)
        else:
            try:
                compiled = _polyform.Model.build(self._data, os.fsencode(self._file), self._lenient,
                                                 self._plugin_paths, self._functions)
            except Error as error:
                raise type(error)(self._located(error.messages)) from error.__cause__
        self._compiled, self._fingerprint, self._stale = compiled, fingerprint, False
        warn(self._located(compiled.messages), stacklevel=4)
        return compiled

    def __getstate__(self):
        if self._functions:
            raise TypeError("a model with Python functions cannot be pickled")
        return {"file": self._file, "data": self._data, "lenient": self._lenient, "paths": self._plugin_paths,
                "imports": self._import_options, "is_file": self._is_file}

    def __setstate__(self, state):
        self._begin(state["file"], state["lenient"], state["paths"])
        self._data, self._import_options, self._is_file = state["data"], state["imports"], state["is_file"]

    # What it is.

    name = property(lambda self: self._model.name, doc="The name of the model.")
    bodies = property(lambda self: self._model.bodies, doc="Names of the bodies, in the order of the file.")
    joints = property(lambda self: self._model.joints, doc="Names of the joints.")
    solvers = property(lambda self: self._model.solvers, doc="Formulations that can run the model.")
    formulations = property(lambda self: self._model.formulations, doc="All formulations that are loaded.")

    @property
    def conversion(self):
        """What became of everything in a file of another program, as a dict: `polyform import --json`. None for a
        model file, and for a model that was built. The file is read once more."""
        if not self._is_file:
            return None
        return _polyform.Model.conversion(os.fsencode(self._file), self._plugin_paths, self._import_options)

    def export(self, path, *, format=None, strict=False, **of_fmu):
        """Writes the model in the format of another program: `polyform export`.

        format: urdf, sdf, mjcf, fmu, or that of a further plugin; not given: that of the ending of the path. strict:
        ModelError where the format cannot say something, and nothing is written. What became of everything is
        returned, as by `conversion`.

        An FMU holds a solver and an integrator too. For it alone: fmi (2 or 3), kind ("cs" for co-simulation, "me" for
        model exchange), inputs (patterns, "none", or all that the model gives), and the settings of run. The numbers of
        its variables are returned.
        """
        if format == "fmu" or (format is None and os.fsdecode(path).endswith(".fmu")):
            _checked(of_fmu, _export_arguments, "export")
            if strict:
                raise TypeError("export(): strict: an FMU holds the whole model; leave it out")
            if "inputs" in of_fmu:
                of_fmu["inputs"] = _names(of_fmu["inputs"])
            text, conversion, messages = self._model.export_fmu(_settings(of_fmu))
        else:
            if of_fmu:
                raise TypeError(f"export(): {', '.join(of_fmu)}: for FMUs alone")
            text, conversion, messages = self._model.export(os.fsencode(path), format or "", bool(strict))
        with open(path, "wb") as out:
            out.write(text)
        warn(messages)
        return conversion

    def __repr__(self):
        file = "" if self._data is not None and self._compiled is None else f" from {self._file}"
        return f"<polyform.Model{file}>"

    # What it does.

    def check(self):
        """Bodies, joints, loops, degrees of freedom, redundant constraints: what `polyform check --json` prints."""
        return self._model.check()

    def run(self, solver=None, duration=None, **settings):
        """Runs the model; what is not given is as the model says.

        duration, step, max_step, output_interval in s; rtol, atol; integrator, integrator_options, options (of the
        solver); columns ("joints,bodies", "tip.*", or a list); output (a file that takes the rows too); state (a file
        with rows of results, or what equilibrium --output wrote) and start_time (what the clock shows at the start, s,
        and the row of the file that is taken): the run starts there, and lasts for its duration;
        progress(time) and stop() are called after each step: the run ends where stop returns true. check=False returns
        the result of a run that failed in place of raising SimulationError, whose `result` it is.
        """
        check = settings.pop("check", True)
        _checked(settings, _run_arguments, "run")
        compiled = self._model.run(_settings({"solver": solver, "duration": duration, **settings}))
        result = Result(compiled)
        warn(result.messages)
        if check:
            compiled.raise_failure(result)
        return result

    def _told(self, pair):
        value, messages = pair
        warn(messages, stacklevel=4)
        return value

    def evaluate(self, solver=None, options=None):
        """Accelerations and reactions at the initial state, as a dict: `polyform evaluate --json`."""
        return self._told(self._model.evaluate(_settings({"solver": solver, "options": options})))

    def equilibrium(self, solver=None, *, options=None, steady=False, trim=(), hold=()):
        """A state without accelerations: `polyform equilibrium --json`. SimulationError where none is found."""
        return self._told(self._model.equilibrium(_settings(
            {"solver": solver, "options": options, "steady": steady, "trim": _names(trim), "hold": _names(hold)})))

    def linearize(self, solver=None, *, at="initial", options=None, inputs=(), outputs=(), multi_blade=(), floquet=None,
                  states="independent", euler_angles="zyx", instants=0, steady=False, trim=(), hold=()):
        """The linear model at a state: `polyform linearize --json`, with A, B, C and D as arrays.

        at: initial, equilibrium, or a time in s.
        """
        import numpy
        made = self._told(self._model.linearize(_settings(
            {"solver": solver, "options": options, "at": str(at), "inputs": _names(inputs),
             "outputs": _names(outputs), "multi_blade": _names(multi_blade), "floquet": floquet, "states": states,
             "euler_angles": euler_angles, "instants": instants, "steady": steady, "trim": _names(trim),
             "hold": _names(hold)})))
        rows, inputs, outputs = len(made["states"]), len(made["inputs"]), len(made["outputs"])
        shapes = {"A": (rows, rows), "B": (rows, inputs), "C": (outputs, rows), "D": (outputs, inputs)}
        for name, shape in shapes.items():
            if name in made:
                made[name] = numpy.array(made[name], dtype=float).reshape(shape)
        return made

    def compare(self, solvers=None, duration=None, **settings):
        """The same run by several solvers, each in a process of its own: `polyform compare --json`.

        tolerance, jobs and time_limit (s) beside the settings of run but solver and options. With output="NAME.csv"
        each solver writes NAME.<solver>.csv.
        """
        _checked(settings, _compare_arguments, "compare")
        return self._told(self._model.compare(_settings(
            {"solvers": _names(solvers), "duration": duration, **settings})))

    def study(self, vary, quantities, *, method=None, samples=None, seed=None, solver=None, duration=None, workers=None,
              time_limit=None, isolate=False, compile=False, device=None, **settings):
        """Many variants of the model: a Study.

        vary={"bodies.rod.mass": "0.5:2:9"} or a list of values for each path; quantities={"low": "min(rod.z)"}. Paths,
        values and expressions are those of `polyform study`. compile: whether the solver is compiled for the model;
        device: the name of one on which the cases are done, or "auto". The settings of run but progress, output and
        columns; stop() is asked after each case.
        """
        _checked(settings, _study_arguments, "study")
        _map(vary, "vary", "paths and values")
        _map(quantities, "quantities", "names and expressions")
        return Study(*self._model.study(_settings(
            {"vary": [f"{path}={_levels(values)}" for path, values in vary.items()],
             "quantities": [f"{name}={text}" for name, text in quantities.items()], "method": method,
             "samples": samples, "seed": seed, "solver": solver, "duration": duration, "workers": workers,
             "time_limit": time_limit, "isolate": isolate, "compile": compile, "device": device, **settings})))

    def solver(self, name=None, **options):
        """A solver of the model, to be driven by the program.

        state_size; encode(coordinates={}) -> y of the initial state, with other coordinates of joints where they are
        given; derivative(t, y, out=None) -> dy/dt, of one state or of many (K, state_size); correct(t, y) takes the
        drift out of y in place and returns the residual; observe(t, y) -> a dict of all columns, with arrays where y
        is (K, state_size) and t a number or K of them.

        One solver serves one thread; make one for each. Discrete states of elements stay as at the start: only `run`
        passes events.
        """
        return self._model.solver(_settings({"solver": name, "options": options}))
