// The compiled part of the Python module. Users see polyform/__init__.py and the files next to it.
#include <pybind11/stl.h>

#include "functions.hpp"
#include "solver.hpp"

namespace polyform::python {

namespace {

using library::Model;
using library::Result;

using Said = std::vector<library::Message>;

/// With fewer states, a derivative is finished before another thread could take the lock.
constexpr std::size_t brief = 512;

/// A model of the library, and whether Python functions are part of it. If so, work in copies of the process keeps the
/// lock: a copy has no other thread that could give it back.
struct PythonModel {
  Model model;
  bool has_functions = false;
};

library::ReadOptions options_of(bool lenient, std::vector<std::string> plugin_paths, const py::list& functions,
                                std::vector<std::string> import_options = {}) {
  return {lenient, std::move(plugin_paths), functions_of(functions), std::move(import_options)};
}

/// Does the work without the lock, except if copies of the process would need it.
template <class Work>
auto unlocked(const PythonModel& model, bool copies, Work work) {
  if (copies && model.has_functions) return work();
  const py::gil_scoped_release release;
  return work();
}

py::tuple with_messages(const library::Value& value, const Said& said) {
  return py::make_tuple(object_of(value), messages_of(said));
}

/// An argument; `otherwise` if it is not given or None.
template <class T>
T get(const py::dict& given, const char* name, T otherwise) {
  if (!given.contains(name) || given[name].is_none()) return otherwise;
  const py::object value = given[name];
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(name) +
                         ": an argument of this type does not fit: " + py::repr(value).cast<std::string>());
  }
}
std::optional<double> number(const py::dict& given, const char* name) {
  return get<std::optional<double>>(given, name, std::nullopt);
}

library::SolverRequest solver_of(const py::dict& given) {
  return {get<std::string>(given, "solver", {}), get<library::Options>(given, "options", {})};
}

library::RunRequest run_of(const py::dict& given) {
  library::RunRequest run;
  run.solver = solver_of(given);
  run.state = get<std::string>(given, "state", {});
  run.start_time = number(given, "start_time");
  run.duration = number(given, "duration");
  run.step = number(given, "step");
  run.max_step = number(given, "max_step");
  run.relative_tolerance = number(given, "rtol");
  run.absolute_tolerance = number(given, "atol");
  run.output_interval = number(given, "output_interval");
  run.integrator = get<std::string>(given, "integrator", {});
  run.integrator_options = get<library::Options>(given, "integrator_options", {});
  run.columns = get<std::string>(given, "columns", {});
  run.euler_angles = get<std::string>(given, "euler_angles", "zyx");
  run.output = get<std::string>(given, "output", {});
  const auto object = [&](const char* name) -> py::object {
    return given.contains(name) ? py::object(given[name]) : py::object(py::none());
  };
  run.watch = watch_of(object("progress"), object("stop"));
  return run;
}

Result run(const PythonModel& self, const py::dict& given) {
  const library::RunRequest request = run_of(given);
  return unlocked(self, false, [&] { return self.model.run(request); });
}

py::tuple evaluate(const PythonModel& self, const py::dict& given) {
  const library::SolverRequest request = solver_of(given);
  Said said;
  const library::Value value = unlocked(self, false, [&] { return self.model.evaluate(request, &said); });
  return with_messages(value, said);
}

py::tuple equilibrium(const PythonModel& self, const py::dict& given) {
  const library::EquilibriumRequest request{solver_of(given), get<bool>(given, "steady", false),
                                            get<std::vector<std::string>>(given, "trim", {}),
                                            get<std::vector<std::string>>(given, "hold", {})};
  Said said;
  const library::Value value = unlocked(self, false, [&] { return self.model.equilibrium(request, &said); });
  return with_messages(value, said);
}

py::tuple linearize(const PythonModel& self, const py::dict& given) {
  library::LinearizeRequest request;
  request.solver = solver_of(given);
  request.at = get<std::string>(given, "at", "initial");
  request.inputs = get<std::vector<std::string>>(given, "inputs", {});
  request.outputs = get<std::vector<std::string>>(given, "outputs", {});
  request.multi_blade = get<std::vector<std::string>>(given, "multi_blade", {});
  request.floquet = number(given, "floquet");
  request.states = get<std::string>(given, "states", "independent");
  request.euler_angles = get<std::string>(given, "euler_angles", "zyx");
  request.instants = get<std::size_t>(given, "instants", 0);
  request.steady = get<bool>(given, "steady", false);
  request.trim = get<std::vector<std::string>>(given, "trim", {});
  request.hold = get<std::vector<std::string>>(given, "hold", {});
  request.watch = watch_of(py::none(), py::none());
  Said said;
  const library::Value value = unlocked(self, false, [&] { return self.model.linearize(request, &said); });
  return with_messages(value, said);
}

py::tuple export_fmu(const PythonModel& self, const py::dict& given) {
  library::FmuRequest request;
  request.run = run_of(given);
  request.version = get<int>(given, "fmi", request.version);
  request.kind = get<std::string>(given, "kind", request.kind);
  request.inputs = get<std::vector<std::string>>(given, "inputs", {});
  Said said;
  const library::FmuFile made = unlocked(self, false, [&] { return self.model.fmu(request, &said); });
  return py::make_tuple(py::bytes(made.bytes), object_of(made.summary), messages_of(said));
}

py::tuple compare(const PythonModel& self, const py::dict& given) {
  library::CompareRequest request;
  request.solvers = get<std::vector<std::string>>(given, "solvers", {});
  request.run = run_of(given);
  request.tolerance = number(given, "tolerance");
  request.jobs = get<std::size_t>(given, "jobs", 1);
  request.time_limit = get<double>(given, "time_limit", request.time_limit);
  Said said;
  const library::Value value = unlocked(self, true, [&] { return self.model.compare(request, &said); });
  return with_messages(value, said);
}

py::tuple study(const PythonModel& self, const py::dict& given) {
  library::StudyRequest request;
  request.vary = get<std::vector<std::string>>(given, "vary", {});
  request.quantities = get<std::vector<std::string>>(given, "quantities", {});
  request.method = get<std::string>(given, "method", {});
  request.samples = get<std::optional<std::size_t>>(given, "samples", {});
  request.seed = get<std::optional<std::size_t>>(given, "seed", {});
  request.run = run_of(given);
  request.workers = get<std::size_t>(given, "workers", 0);
  request.time_limit = get<double>(given, "time_limit", request.time_limit);
  request.isolate = get<std::optional<bool>>(given, "isolate", {});
  request.compile = get<bool>(given, "compile", false);
  request.device = get<std::string>(given, "device", {});
  Said said;
  const library::StudyTable table = unlocked(self, true, [&] { return self.model.study(request, &said); });
  py::list cases;
  for (const library::StudyTable::Case& c : table.cases)
    cases.append(py::make_tuple(c.values, c.quantities, c.done, c.reason));
  return py::make_tuple(table.factors, table.quantities, table.units, cases, messages_of(said));
}

/// All rows of a result, without a copy.
py::array table_of(py::handle self) {
  const auto& result = self.cast<const Result&>();
  py::array_t<double> rows({result.rows(), result.columns().size()}, result.data().data(), self);
  rows.attr("setflags")(py::arg("write") = false);
  return rows;
}

void raise_failure(py::handle self, const py::object& result) {
  try {
    self.cast<const Result&>().check();
  } catch (const library::Error& error) {
    raise_error(error, result);
    throw py::error_already_set();
  }
}

void bind_model(py::module_& m) {
  py::class_<PythonModel>(m, "Model")
      .def_static("read",
                  [](const std::string& file, bool lenient, std::vector<std::string> paths, const py::list& functions,
                     std::vector<std::string> imports) {
                    const library::ReadOptions options =
                        options_of(lenient, std::move(paths), functions, std::move(imports));
                    const py::gil_scoped_release release;
                    return PythonModel{Model::read(file, options), !options.functions.empty()};
                  })
      .def_static("build",
                  [](const py::dict& document, const std::string& file, bool lenient, std::vector<std::string> paths,
                     const py::list& functions) {
                    const library::ReadOptions options = options_of(lenient, std::move(paths), functions);
                    const library::Value value = value_of(document);
                    const py::gil_scoped_release release;
                    return PythonModel{Model::build(value, file, options), !options.functions.empty()};
                  })
      .def_static("document",
                  [](const std::string& file, std::vector<std::string> paths, std::vector<std::string> imports) {
                    const library::ReadOptions options =
                        options_of(false, std::move(paths), py::list(), std::move(imports));
                    return object_of(Model::document(file, options));
                  })
      .def_static("conversion",
                  [](const std::string& file, std::vector<std::string> paths, std::vector<std::string> imports) {
                    const library::ReadOptions options =
                        options_of(false, std::move(paths), py::list(), std::move(imports));
                    return object_of(Model::conversion(file, options));
                  })
      .def("export",
           [](const PythonModel& self, const std::string& file, const std::string& format, bool strict) {
             Said said;
             const library::Exported made = self.model.exported(file, format, strict, &said);
             return py::make_tuple(py::bytes(made.text), object_of(made.conversion), messages_of(said));
           })
      .def_property_readonly("name", [](const PythonModel& self) { return self.model.name(); })
      .def_property_readonly("bodies", [](const PythonModel& self) { return self.model.bodies(); })
      .def_property_readonly("joints", [](const PythonModel& self) { return self.model.joints(); })
      .def_property_readonly("solvers", [](const PythonModel& self) { return self.model.solvers(); })
      .def_property_readonly("formulations", [](const PythonModel& self) { return self.model.formulations(); })
      .def_property_readonly("messages", [](const PythonModel& self) { return messages_of(self.model.messages()); })
      .def("check",
           [](const PythonModel& self) { return object_of(unlocked(self, false, [&] { return self.model.check(); })); })
      .def("export_fmu", export_fmu)
      .def("run", run)
      .def("evaluate", evaluate)
      .def("equilibrium", equilibrium)
      .def("linearize", linearize)
      .def("compare", compare)
      .def("study", study)
      .def("solver", [](const PythonModel& self, const py::dict& given) {
        const library::SolverRequest request = solver_of(given);
        library::Solver solver = unlocked(self, false, [&] { return self.model.solver(request); });
        const bool releases = solver.state_size() >= brief;
        return std::make_unique<PythonSolver>(std::move(solver), releases);
      });
}

void bind_result(py::module_& m) {
  py::class_<Result>(m, "Result")
      .def_property_readonly("names",
                             [](const Result& self) {
                               std::vector<std::string> names;
                               for (const library::Column& column : self.columns()) names.push_back(column.name);
                               return names;
                             })
      .def_property_readonly("units",
                             [](const Result& self) {
                               std::vector<std::string> units;
                               for (const library::Column& column : self.columns()) units.push_back(column.unit);
                               return units;
                             })
      .def_property_readonly("table", [](py::object self) { return table_of(self); })
      .def_property_readonly("record", [](const Result& self) { return object_of(self.record()); })
      .def_property_readonly("messages", [](const Result& self) { return messages_of(self.warnings()); })
      .def("index", [](const Result& self, const std::string& name) { return self.index(name); })
      .def("raise_failure", [](py::object self, const py::object& result) { raise_failure(self, result); })
      .def("page", [](const Result& self) {
        const py::gil_scoped_release release;
        return self.page();
      });
}

}  // namespace

PYBIND11_MODULE(_polyform, m) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const library::Error& error) {
      raise_error(error);
    }
  });
  m.attr("__version__") = library::version();
  bind_model(m);
  bind_result(m);
  py::class_<PythonSolver>(m, "Solver")
      .def_property_readonly("name", &PythonSolver::name)
      .def_property_readonly("state_size", &PythonSolver::state_size)
      .def_property_readonly("units", &PythonSolver::units)
      .def("encode", &PythonSolver::encode, py::arg("coordinates") = py::dict())
      .def("derivative", &PythonSolver::derivative, py::arg("t"), py::arg("y"), py::arg("out") = py::none())
      .def("correct", &PythonSolver::correct, py::arg("t"), py::arg("y"))
      .def("observe", &PythonSolver::observe, py::arg("t"), py::arg("y"));
}

}  // namespace polyform::python
