#include "solver.hpp"

#include <functional>
#include <optional>

namespace polyform::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style>;
using AnyNumbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::string shape_text(const py::array& a) { return py::str(a.attr("shape")).cast<std::string>(); }

std::span<const double> span_of(const Numbers& a) { return {a.data(), static_cast<std::size_t>(a.size())}; }

/// The object as numbers; a copy only where it is of another type or order.
Numbers numbers_of(py::handle object, const char* what) {
  if (Numbers::check_(object)) return py::reinterpret_borrow<Numbers>(object);
  const bool is_complex =
      py::isinstance<py::array>(object) && py::reinterpret_borrow<py::array>(object).dtype().kind() == 'c';
  if (!is_complex && !object.is_none())
    if (Numbers converted = AnyNumbers::ensure(object)) return converted;
  PyErr_Clear();
  throw py::type_error(std::string(what) + ": expected an array of numbers, found " +
                       py::repr(object).cast<std::string>());
}

double time_of(py::handle object) {
  const double t = PyFloat_AsDouble(object.ptr());
  if (t != -1 || PyErr_Occurred() == nullptr) return t;
  PyErr_Clear();
  throw py::type_error("t: expected a time in s, found " + py::repr(object).cast<std::string>());
}

/// An array that is written in place.
Numbers target_of(py::handle object, const char* what) {
  if (!Numbers::check_(object))
    throw py::type_error(std::string(what) + ": expected a C-contiguous array of float64, which is written in place");
  Numbers array = py::reinterpret_borrow<Numbers>(object);
  if (!array.writeable()) throw py::value_error(std::string(what) + ": the array is read-only");
  return array;
}

}  // namespace

PythonSolver::Turn::Turn(std::atomic_flag& busy) : busy_(busy) {
  if (busy_.test_and_set(std::memory_order_acquire))
    throw std::runtime_error(
        "the solver is at work, in another thread or below a function of its model; make a solver "
        "for each: model.solver(...)");
}

PythonSolver::PythonSolver(library::Solver solver, bool releases_lock)
    : solver_(std::move(solver)),
      size_(static_cast<py::ssize_t>(solver_.state_size())),
      releases_lock_(releases_lock) {}

py::array PythonSolver::encode(const py::object& given_coordinates) {
  if (!py::isinstance<py::dict>(given_coordinates))
    throw py::type_error("encode: expected a dict of coordinates, such as {'pin.q': 0.1}, found " +
                         py::repr(given_coordinates).cast<std::string>());
  const auto coordinates = py::reinterpret_borrow<py::dict>(given_coordinates);
  const Turn turn(busy_);
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [key, given] : coordinates) {
    const double value = PyFloat_AsDouble(given.ptr());
    const bool is_number = value != -1 || PyErr_Occurred() == nullptr;
    PyErr_Clear();
    if (!py::isinstance<py::str>(key) || !is_number)
      throw library::Error(
          library::Error::Kind::bad_input,
          {{.text = "encode: " + py::repr(key).cast<std::string>() + ": found " + py::repr(given).cast<std::string>() +
                    ", expected names of coordinates with a number each",
            .remedy = "Coordinates of a joint with several have an index: {'ball.q[0]': 1, …}."}});
    values.emplace_back(key.cast<std::string>(), value);
  }
  const std::vector<double> y = values.empty() ? solver_.encode() : solver_.encode(values);
  return Numbers(static_cast<py::ssize_t>(y.size()), y.data());
}

py::object PythonSolver::derivative(py::handle time, py::handle y, py::handle out) {
  const double t = time_of(time);
  const Numbers given = numbers_of(y, "y");
  const py::ssize_t dimensions = given.ndim();
  if (dimensions < 1 || dimensions > 2 || given.shape(dimensions - 1) != size_)
    throw py::value_error("y has the shape " + shape_text(given) + ", expected (" + std::to_string(size_) +
                          ",) or (K, " + std::to_string(size_) + ") for K states");
  Numbers result =
      out.is_none() ? (dimensions == 1 ? Numbers(size_) : Numbers({given.shape(0), size_})) : target_of(out, "out");
  if (!out.is_none() &&
      (result.ndim() != dimensions || !std::equal(given.shape(), given.shape() + dimensions, result.shape())))
    throw py::value_error("out has the shape " + shape_text(result) + ", expected that of y, " + shape_text(given));
  const std::span<const double> from = span_of(given);
  const std::span<double> to{result.mutable_data(), from.size()};
  if (std::less<>()(from.data(), to.data() + to.size()) && std::less<>()(to.data(), from.data() + from.size()))
    throw py::value_error("out and y share memory; the derivative needs an array of its own");
  const Turn turn(busy_);
  std::optional<py::gil_scoped_release> unlocked;
  if (releases_lock_ || dimensions == 2) unlocked.emplace();
  if (dimensions == 1)
    solver_.derivative(t, from, to);
  else
    solver_.derivatives(t, from, to);
  unlocked.reset();
  return result;
}

double PythonSolver::correct(py::handle time, py::handle y) {
  const double t = time_of(time);
  Numbers state = target_of(y, "y");
  if (state.ndim() != 1 || state.shape(0) != size_)
    throw py::value_error("y has the shape " + shape_text(state) + ", expected (" + std::to_string(size_) + ",)");
  const Turn turn(busy_);
  return solver_.correct(t, {state.mutable_data(), static_cast<std::size_t>(size_)});
}

py::dict PythonSolver::observe(py::handle t, py::handle y) {
  const Numbers states = numbers_of(y, "y"), times = numbers_of(t, "t");
  const py::ssize_t dimensions = states.ndim();
  if (dimensions < 1 || dimensions > 2 || states.shape(dimensions - 1) != size_)
    throw py::value_error("y has the shape " + shape_text(states) + ", expected (" + std::to_string(size_) +
                          ",) or (K, " + std::to_string(size_) + ") for K states");
  const py::ssize_t count = dimensions == 1 ? 1 : states.shape(0);
  if (times.ndim() > 1 || (times.ndim() == 1 && (dimensions == 1 || times.shape(0) != count)))
    throw py::value_error("t has the shape " + shape_text(times) + ", expected a number, or one for each of K states");
  const std::vector<library::Column>& columns = solver_.columns();
  std::vector<double> values(columns.size());
  std::vector<Numbers> made;
  std::vector<double*> rows;
  for (std::size_t k = 0; dimensions == 2 && k < values.size(); ++k)
    rows.push_back(made.emplace_back(count).mutable_data());
  {
    const Turn turn(busy_);
    std::optional<py::gil_scoped_release> unlocked;
    if (releases_lock_ || dimensions == 2) unlocked.emplace();
    const auto size = static_cast<std::size_t>(size_);
    for (py::ssize_t i = 0; i < count; ++i) {
      solver_.observe(times.data()[times.ndim() == 1 ? i : 0], {states.data() + i * size_, size}, values);
      for (std::size_t k = 0; k < rows.size(); ++k) rows[k][i] = values[k];
    }
  }
  py::dict named;
  for (std::size_t k = 0; k < values.size(); ++k)
    named[py::str(columns[k].name)] = dimensions == 1 ? py::object(py::float_(values[k])) : py::object(made[k]);
  return named;
}

py::dict PythonSolver::units() const {
  py::dict named;
  for (const library::Column& column : solver_.columns()) named[py::str(column.name)] = column.unit;
  return named;
}

}  // namespace polyform::python
