#include "polyform/library/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/library/internal.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"
#include "framework/workbench/linearization/canonical_state.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::library {

namespace {

/// Where coordinates of joints stand in the canonical state, by the names of their columns.
class CoordinateNames {
 public:
  explicit CoordinateNames(const host::System& system) {
    const SystemView& view = system.view();
    for (const JointIndex j : system.joints()) {
      const JointData& joint = view.joints[at(j)];
      add(fmt::format("{}.q", joint.name), joint.q_offset, own_positions(joint), false);
      add(fmt::format("{}.v", joint.name), joint.v_offset, joint.nv, true);
    }
  }
  struct Place {
    std::string name;
    std::size_t index;
    bool is_velocity;
  };
  const Place& operator[](const std::string& name) const {
    std::vector<std::string_view> known;
    for (const Place& place : places_) {
      if (place.name == name) return place;
      known.push_back(place.name);
    }
    throw host::Failure(host::Exit::bad_input, fmt::format("there is no coordinate {}", host::show(name)),
                        host::did_you_mean(name, known) + "Coordinates: " + host::listing(known) + ".");
  }

 private:
  void add(const std::string& name, std::size_t offset, std::size_t count, bool is_velocity) {
    for (std::size_t k = 0; k < count; ++k)
      places_.push_back({count == 1 ? name : fmt::format("{}[{}]", name, k), offset + k, is_velocity});
  }
  std::vector<Place> places_;
};

/// Puts the given coordinates of that state into the model, for each joint that has some with all of its own. alone: in
/// the place of what the model gives of other joints too.
void put_start(const host::System& system, const host::CanonicalState& state,
               const std::vector<CoordinateNames::Place>& given, bool alone, host::Description& model) {
  for (std::size_t j = 0; j < std::min(system.joints().size(), model.joints.size()); ++j) {
    const JointData& joint = system.view().joints[at(system.joints()[j])];
    const auto put = [&](bool velocity, const std::vector<double>& from, std::size_t offset, std::size_t count,
                         std::vector<double>& to) {
      const bool is_given = std::ranges::any_of(given, [&](const CoordinateNames::Place& place) {
        return place.is_velocity == velocity && place.index >= offset && place.index < offset + count;
      });
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(offset);
      if (is_given)
        to.assign(first, first + static_cast<std::ptrdiff_t>(count));
      else if (alone)
        to.clear();
    };
    put(false, state.q, joint.q_offset, own_positions(joint), model.joints[j].initial_position);
    put(true, state.v, joint.v_offset, joint.nv, model.joints[j].initial_velocity);
  }
}

/// Whether both have the same joints, in the same places of the canonical state. A file may have changed since.
bool has_coordinates_of(const host::System& a, const host::System& b) {
  const ConstStateView of_a = a.initial_state(), of_b = b.initial_state();
  const auto same = [](const JointData& x, const JointData& y) {
    return x.name == y.name && x.q_offset == y.q_offset && x.v_offset == y.v_offset;
  };
  return std::ranges::equal(a.view().joints, b.view().joints, same) && of_a.eta.size() == of_b.eta.size() &&
         of_a.x.size() == of_b.x.size() && of_a.discrete.size() == of_b.discrete.size();
}

/// Whether an element has states that follow from the initial motion.
bool begins_with_motion(const SystemView& view) {
  const auto any = [](const auto& groups) {
    return std::ranges::any_of(groups, [](const auto& group) {
      const TypeDescriptor& own = group.type->descriptor();
      if (own.discrete.empty() && own.states.empty() && own.variables.empty()) return false;
      auto* const batch = group.type->create(group.instances);
      if (batch == nullptr) return false;
      const bool found = batch->query(InitialStates::interface_name) != nullptr ||
                         batch->query(DiscreteAtStart::interface_name) != nullptr;
      batch->destroy();
      return found;
    });
  };
  return any(view.forces) || any(view.modules) || any(view.constraints);
}

[[noreturn]] void fail(const polyform::Solver& solver, const std::string& name, const char* what, double t) {
  throw host::Failure(host::Exit::simulation_failed,
                      fmt::format("solver {}: {} failed at t = {:.9g} s: {}", name, what, t, solver.failure()));
}

void check_length(const char* what, std::size_t found, std::size_t expected) {
  if (found != expected) refuse(fmt::format("{} has {} numbers, expected {}", what, found, expected));
}

}  // namespace

bool Solver::Parts::meets_equations(double t, std::span<const double> y) noexcept {
  if (!check->is_due(evaluations++)) return true;
  try {
    check->check_given(t, y, store.now());
    return true;
  } catch (...) {
    unmet = std::current_exception();
    return false;
  }
}

Solver::Solver(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

Solver Model::solver(const SolverRequest& request) const {
  return calling(nullptr, [&] {
    const host::System& system = *parts_->system;
    const host::ProcessState before;
    const apps::SolverChoice choice = choice_of(*parts_, request);
    host::refuse_unilateral_rows(system.view(), "an evaluation at given states");
    host::RowMaker rows(system, host::Columns::all());
    std::vector<Column> columns = columns_of(rows.channels());
    host::SolverPointer solver = apps::compile(choice, system.view());
    auto check = std::make_unique<host::SolverCheck>(system.view(), *solver);
    return Solver(std::unique_ptr<Solver::Parts>(
        new Solver::Parts{parts_, std::string(choice.formulation->name()), std::move(solver), std::move(columns),
                          host::ObservationStore(system.view()), std::move(rows), std::move(check)}));
  });
}

const std::string& Solver::name() const noexcept { return parts_->name; }
std::size_t Solver::state_size() const noexcept { return parts_->solver->state_size(); }
const std::vector<Column>& Solver::columns() const noexcept { return parts_->columns; }

std::vector<double> Solver::encode() const {
  return calling(nullptr, [&] {
    std::vector<double> y(state_size());
    const host::System& system = *parts_->model->system;
    host::encode_start(system.start_time(), *parts_->solver, system.initial_state(), y);
    return y;
  });
}

std::vector<double> Solver::encode(const std::vector<std::pair<std::string, double>>& coordinates) const {
  return calling(nullptr, [&] {
    const host::System& system = *parts_->model->system;
    host::CanonicalState state(system.initial_state());
    const CoordinateNames names(system);
    std::vector<CoordinateNames::Place> given;
    for (const auto& [name, value] : coordinates) {
      given.push_back(names[name]);
      if (!std::isfinite(value)) refuse(fmt::format("{}: found {}, expected a finite number", name, value));
      (given.back().is_velocity ? state.v : state.q)[given.back().index] = value;
    }
    std::vector<double> y(state_size());
    const double t = system.start_time();
    const auto misfit = [&](const ConstStateView& at) {
      host::encode_start(t, *parts_->solver, at, y);
      Observation& now = parts_->store.now();
      if (parts_->solver->observe(t, y, now) != Status::ok) fail(*parts_->solver, parts_->name, "observe", t);
      return std::pair(now.position_violation, now.velocity_violation);
    };
    constexpr double closed = 1e-9;  // as for initial velocities of a model
    const auto meets = [&](const std::pair<double, double>& by) { return by.first <= closed && by.second <= closed; };
    const std::pair<double, double> by = misfit(state.constant());
    if (meets(by) && !begins_with_motion(system.view())) return y;
    const auto keeps = [&](const ConstStateView& found) {
      return std::ranges::all_of(given, [&](const CoordinateNames::Place& place) {
        const double wanted = (place.is_velocity ? state.v : state.q)[place.index];
        const double got = (place.is_velocity ? found.v : found.q)[place.index];
        return std::abs(got - wanted) <= closed * (1 + std::abs(wanted));
      });
    };
    // The model is assembled with them: first beside the coordinates that it gives, then in the place of all of those.
    for (const bool alone : {false, true}) {
      const std::unique_ptr<host::System> moved = assembled_anew(
          *parts_->model, [&](host::Description& model) { put_start(system, state, given, alone, model); });
      if (!moved || !has_coordinates_of(*moved, system)) continue;
      const ConstStateView found = moved->initial_state();
      if (meets(by) && keeps(found)) {  // the states that elements begin with in that motion
        state.x.assign(found.x.begin(), found.x.end());
        state.discrete.assign(found.discrete.begin(), found.discrete.end());
        if (meets(misfit(state.constant()))) return y;
      }
      if (keeps(found) && meets(misfit(found))) return y;
    }
    if (meets(by))
      throw host::Failure(host::Exit::simulation_failed,
                          "the states that elements begin with in this motion cannot be found",
                          "The model, with these initial positions and velocities of its joints, tells why.");
    throw host::Failure(host::Exit::simulation_failed,
                        fmt::format("the coordinates do not close the loops: by {:.3g} in position, {:.3g} in velocity",
                                    by.first, by.second),
                        "No values of the other joints close them either: give values that belong together.");
  });
}

bool Solver::try_derivative(double t, const double* y, std::size_t n, double* ydot, std::size_t out) const noexcept {
  FunctionCalls calls;
  const bool done =
      parts_->solver->derivative(t, {y, n}, {ydot, out}) == Status::ok && parts_->meets_equations(t, {y, n});
  if (calls.thrown()) {
    parts_->thrown = calls.thrown();
    parts_->thrower = calls.whose();
    return false;
  }
  return done;
}

void Solver::fail_derivative(double t, std::size_t n, std::size_t out) const {
  if (const std::exception_ptr thrown = std::exchange(parts_->thrown, nullptr))
    throw error_of_function(thrown, parts_->thrower);
  calling(nullptr, [&] {
    check_length("y", n, state_size());
    check_length("the derivative of y", out, state_size());
    if (const std::exception_ptr unmet = std::exchange(parts_->unmet, nullptr)) std::rethrow_exception(unmet);
    fail(*parts_->solver, parts_->name, "derivative", t);
    return 0;
  });
  throw unexpected("a derivative");
}

void Solver::derivatives(double t, std::span<const double> y, std::span<double> ydot) const {
  calling(nullptr, [&] {
    const std::size_t n = state_size();
    if (n == 0 || y.size() % n != 0)
      refuse(fmt::format("states have {} numbers each, which {} numbers are no multiple of", n, y.size()));
    check_length("the derivatives", ydot.size(), y.size());
    for (std::size_t k = 0; k < y.size(); k += n)
      if (parts_->solver->derivative(t, y.subspan(k, n), ydot.subspan(k, n)) != Status::ok)
        fail(*parts_->solver, parts_->name, fmt::format("derivative of state {}", k / n).c_str(), t);
      else if (!parts_->meets_equations(t, y.subspan(k, n)))
        std::rethrow_exception(std::exchange(parts_->unmet, nullptr));
    return 0;
  });
}

double Solver::correct(double t, std::span<double> y) const {
  return calling(nullptr, [&] {
    check_length("y", y.size(), state_size());
    Correction correction;
    if (parts_->solver->correct(t, y, correction) != Status::ok) fail(*parts_->solver, parts_->name, "correct", t);
    return correction.position_residual;
  });
}

void Solver::observe(double t, std::span<const double> y, std::span<double> values) const {
  calling(nullptr, [&] {
    check_length("y", y.size(), state_size());
    check_length("the observation", values.size(), parts_->columns.size());
    if (parts_->solver->observe(t, y, parts_->store.now()) != Status::ok)
      fail(*parts_->solver, parts_->name, "observe", t);
    const std::span<const double> row = parts_->rows.make(t, parts_->store.now());
    std::copy(row.begin(), row.end(), values.begin());
    return 0;
  });
}

}  // namespace polyform::library
