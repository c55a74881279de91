#include "functions.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace polyform::python {

using library::FunctionEvent;
using library::FunctionForce;
using library::FunctionInput;
using library::FunctionOutput;
using library::Motion;

namespace {

using Clock = std::chrono::steady_clock;

py::array_t<double> array_of(std::span<const double> numbers) {
  return py::array_t<double>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

/// One number as such, several as an array.
py::object numbers_of(std::span<const double> numbers) {
  if (numbers.size() == 1) return py::float_(numbers[0]);
  return array_of(numbers);
}

py::object motion_of(const Motion& m) {
  static const Kept make(py::module_::import("polyform._functions").attr("Motion"));
  py::array_t<double> rotation({3, 3}, m.rotation.data());
  return (*make)(array_of(m.position), array_of(m.velocity), array_of(m.angular_velocity), std::move(rotation));
}

/// What a function is called with: the time, then coordinates and velocities of the joints, or the motions of the
/// points; then the states and the mode of a function that has any.
py::tuple arguments_of(const FunctionForce& force, const FunctionInput& in) {
  py::list all;
  all.append(in.time);
  if (!force.joints.empty()) {
    all.append(numbers_of(in.q));
    all.append(numbers_of(in.v));
  }
  for (const Motion& point : in.points) all.append(motion_of(point));
  if (!force.states.empty()) all.append(array_of(in.states));
  if (force.modes.size() > 1) all.append(in.mode);
  return py::tuple(all);
}

/// A number or a sequence of numbers, one of the lengths.
std::size_t read_numbers(const py::object& given, const char* what, std::span<double> out, std::size_t other) {
  if (PyFloat_Check(given.ptr()) && out.size() >= 1 && (out.size() == 1 || other == 1)) {
    out[0] = PyFloat_AS_DOUBLE(given.ptr());
    return 1;
  }
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
  if (!array || given.is_none()) {  // NumPy takes None for NaN
    PyErr_Clear();
    throw py::type_error(std::string(what) + ": expected numbers, found " + py::repr(given).cast<std::string>());
  }
  const auto count = static_cast<std::size_t>(array.size());
  if (count != out.size() && count != other)
    throw py::value_error(std::string(what) + ": expected " + std::to_string(out.size()) + " numbers, found " +
                          std::to_string(count));
  std::copy_n(array.data(), count, out.begin());
  return count;
}

void take_result(const FunctionForce& force, const py::object& given, const FunctionOutput& out) {
  py::object act = given;
  if (!force.states.empty()) {
    if (!py::isinstance<py::tuple>(given) || py::len(given) != 2)
      throw py::type_error("a function with states returns (force, rates of the states), found " +
                           py::repr(given).cast<std::string>());
    act = given[py::int_(0)];
    read_numbers(given[py::int_(1)], "rates of the states", out.rates, out.rates.size());
  }
  if (!force.joints.empty()) {
    read_numbers(act, "effort", out.efforts, out.efforts.size());
  } else if (!out.forces.empty()) {
    std::array<double, 6>& first = out.forces[0];
    read_numbers(act, "force", first, 3);
    if (out.forces.size() == 2) std::ranges::transform(first, out.forces[1].begin(), [](double x) { return -x; });
  }
}

/// A bool of Python or NumPy.
bool is_truth(const py::object& given) {
  if (PyFloat_Check(given.ptr())) return false;
  if (PyBool_Check(given.ptr())) return true;
  return py::hasattr(given, "dtype") && py::str(given.attr("dtype")).cast<std::string>() == "bool";
}

FunctionEvent event_of(const FunctionForce& force, const py::dict& given) {
  FunctionEvent event;
  event.name = given["name"].cast<std::string>();
  event.crossing = static_cast<FunctionEvent::Crossing>(given["crossing"].cast<int>());
  event.ends_run = given["stop"].cast<bool>();
  const Kept value(given["function"]);
  event.value = [value, force](const FunctionInput& in) {
    const py::gil_scoped_acquire lock;
    double number = 0;
    const py::object answer = (*value)(*arguments_of(force, in));
    if (is_truth(answer))
      throw py::type_error("value of the event: expected a number, whose change of sign is the event, found " +
                           py::repr(answer).cast<std::string>());
    read_numbers(answer, "value of the event", {&number, 1}, 1);
    return number;
  };
  if (given["mode"].is_none()) return event;
  const Kept mode(given["mode"]);
  event.passed = [mode, force](const FunctionInput& in, bool rising) {
    const py::gil_scoped_acquire lock;
    const py::object next = py::isinstance<py::int_>(*mode) ? *mode : (*mode)(rising, *arguments_of(force, in));
    const int number = next.cast<int>();
    if (number < 0 || number >= static_cast<int>(force.modes.size()))
      throw py::value_error("there is no mode " + std::to_string(number));
    return number;
  };
  return event;
}

FunctionForce function_of(const py::dict& given) {
  FunctionForce force;
  force.name = given["name"].cast<std::string>();
  for (const py::handle joint : given["joints"]) force.joints.push_back(joint.cast<std::string>());
  for (const py::handle point : given["points"]) {
    const auto at = point[py::int_(1)].cast<py::sequence>();
    force.points.push_back(
        {point[py::int_(0)].cast<std::string>(), {at[0].cast<double>(), at[1].cast<double>(), at[2].cast<double>()}});
  }
  for (const auto& [name, initial] : given["states"].cast<py::dict>())
    force.states.push_back({name.cast<std::string>(), "1", initial.cast<double>()});
  for (const py::handle mode : given["modes"]) force.modes.push_back(mode.cast<std::string>());
  const FunctionForce shape = force;
  for (const py::handle event : given["events"]) force.events.push_back(event_of(shape, event.cast<py::dict>()));
  if (given["law"].is_none()) return force;
  const Kept law(given["law"]);
  force.law = [law, shape](const FunctionInput& in, const FunctionOutput& out) {
    const py::gil_scoped_acquire lock;
    take_result(shape, (*law)(*arguments_of(shape, in)), out);
  };
  return force;
}

}  // namespace

std::vector<FunctionForce> functions_of(const py::list& list) {
  std::vector<FunctionForce> all;
  for (const py::handle item : list) all.push_back(function_of(item.cast<py::dict>()));
  return all;
}

library::Watch watch_of(const py::object& progress, const py::object& stop) {
  library::Watch watch;
  if (!progress.is_none())
    watch.progress = [progress = Kept(progress)](double time) {
      const py::gil_scoped_acquire lock;
      (*progress)(time);
    };
  const Kept asked(stop);
  watch.stop = [asked, next = Clock::now()]() mutable {
    const bool has_stop = !(*asked).is_none();
    // Ctrl-C is looked for some times a second.
    const bool due = Clock::now() >= next;
    if (!has_stop && !due) return false;
    const py::gil_scoped_acquire lock;
    if (due) {
      next = Clock::now() + std::chrono::milliseconds(50);
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    return has_stop && (*asked)().cast<bool>();
  };
  return watch;
}

}  // namespace polyform::python
