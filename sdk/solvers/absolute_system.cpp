#include "polyform/solvers/absolute_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absolute/checks.hpp"
#include "absolute/fine_solver.hpp"
#include "absolute/loads.hpp"
#include "absolute/position_corrector.hpp"
#include "absolute/velocity_projector.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform {

struct AbsoluteSystem::Parts {
  Parts(const SystemView& view, const std::vector<bool>& absent, const Vec3& origin)
      : model(view, absent, origin),
        scales(model),
        problem(model),
        solver(model, scales, problem, failure),
        fine(absolute::FineSolver::make(model, scales, problem, solver, failure)),
        loads(model, std::span(problem.data).first(model.blocks.unknowns())),
        equations(model, scales, loads.values()),
        accelerations(model, problem.solution),
        positions(model, problem, solver, failure),
        velocities(model, problem, solver, failure),
        rows(model, scales, loads, problem) {}

  Failure failure;
  absolute::Model model;
  absolute::Scales scales;
  absolute::LinearProblem problem;
  absolute::SaddlePoint solver;
  std::unique_ptr<absolute::FineSolver> fine;  ///< where masses differ by orders of magnitude
  absolute::Loads loads;
  AbsoluteEquations equations;
  AbsoluteAccelerations accelerations;
  absolute::PositionCorrector positions;
  absolute::VelocityProjector velocities;
  absolute::RowCheck rows;
  bool has_looked_at_rows = false;
};

AbsoluteSystem::AbsoluteSystem(const SystemView& view, const std::vector<bool>& absent, const Vec3& origin)
    : parts_(std::make_unique<Parts>(view, absent, origin)) {}

AbsoluteSystem::~AbsoluteSystem() = default;

bool AbsoluteSystem::good() const noexcept { return parts_->model.good(); }
void AbsoluteSystem::follow(std::span<const std::int32_t> discrete) noexcept { parts_->model.follow(discrete); }
const AbsoluteEquations& AbsoluteSystem::equations() const noexcept { return parts_->equations; }
const FlexibleSet& AbsoluteSystem::flexible() const noexcept { return parts_->model.inertia.flexible(); }
const ModuleSet& AbsoluteSystem::modules() const noexcept { return parts_->model.modules; }
std::string_view AbsoluteSystem::failure() const noexcept { return parts_->failure.text(); }

bool AbsoluteSystem::correct_positions(double t, std::span<Pose> poses, std::span<double> q, double tolerance,
                                       PositionCorrection& out, std::span<double> eta, std::span<double> states,
                                       bool evaluated) noexcept {
  parts_->failure.clear();
  return parts_->positions.correct(t, poses, q, tolerance, out, eta, states, evaluated);
}

bool AbsoluteSystem::project_velocities(double t, std::span<BodyMotion> bodies, std::span<double> q,
                                        std::span<double> v, double& violation, bool after_positions,
                                        std::span<const double> eta, std::span<double> etadot,
                                        std::span<double> states) noexcept {
  parts_->failure.clear();
  return parts_->velocities.project(t, bodies, q, v, violation, after_positions, eta, etadot, states);
}

const AbsoluteEquations& AbsoluteSystem::evaluate(double t, std::span<const BodyMotion> bodies, std::span<double> q,
                                                  std::span<double> v, std::span<const double> eta,
                                                  std::span<const double> etadot,
                                                  std::span<const double> states) noexcept {
  parts_->model.motions.set(bodies, eta, etadot, states);
  parts_->model.evaluate(t, absolute::Level::acceleration, q.data(), v.data());
  return parts_->equations;
}

const AbsoluteEquations& AbsoluteSystem::evaluate_positions(double t, std::span<const BodyMotion> bodies,
                                                            std::span<double> q, std::span<double> v,
                                                            std::span<const double> eta, std::span<const double> etadot,
                                                            std::span<const double> states) noexcept {
  parts_->model.motions.set(bodies, eta, etadot, states);
  parts_->model.evaluate(t, absolute::Level::position, q.data(), v.data());
  return parts_->equations;
}

const AbsoluteAccelerations* AbsoluteSystem::accelerations(std::span<const Spatial> wrenches,
                                                           std::span<const double> efforts,
                                                           std::span<const double> modal_forces,
                                                           Accelerations use) noexcept {
  Parts& parts = *parts_;
  parts.failure.clear();
  parts.solver.forget_factors();
  set_loads(wrenches, efforts, modal_forces);
  parts.problem.set_rows(parts.model.rows.right());
  if (!(parts.fine ? parts.fine->find_accelerations(use) : parts.solver.find_accelerations(use))) return nullptr;
  parts.accelerations.found(parts.loads.efforts());
  return &parts.accelerations;
}

void AbsoluteSystem::set_loads(std::span<const Spatial> wrenches, std::span<const double> efforts,
                               std::span<const double> modal_forces) noexcept {
  parts_->loads.set(wrenches, efforts, modal_forces);
}

const AbsoluteAccelerations& AbsoluteSystem::set_solution(std::span<const double> x,
                                                          std::span<const double> multipliers) noexcept {
  std::vector<double>& solution = parts_->problem.solution;
  std::copy(x.begin(), x.end(), solution.begin());
  for (std::size_t r = 0; r < multipliers.size(); ++r) solution[parts_->model.blocks.row_at(r)] = -multipliers[r];
  parts_->accelerations.found(parts_->loads.efforts());
  return parts_->accelerations;
}

bool AbsoluteSystem::check_rows(std::span<const double> given_way) noexcept {
  Parts& parts = *parts_;
  parts.failure.clear();
  const absolute::RowCheck::Missed missed = parts.rows.worst(given_way);
  if (!parts.rows.is_contradiction(missed, least_contradiction)) return true;
  double least = least_contradiction;
  if (parts.fine && parts.fine->nearly_dependent() > 0) {
    least = least_contradiction_of_dependent;
    if (!parts.rows.is_contradiction(missed, least)) return true;
  }
  const absolute::Constraints& constraints = parts.model.constraints;
  const char* const kind = constraints.kind(missed.constraint);
  const std::string_view name = constraints.name(missed.constraint);
  // If twice the digits meet all rows, it is not the constraints that contradict each other.
  const bool nothing_gives = std::ranges::all_of(given_way, [](double x) { return x == 0; });
  if (parts.fine && nothing_gives) {
    parts.problem.set_rows(parts.model.rows.right());
    if (parts.fine->find_with_twice_the_digits() && !parts.rows.is_contradiction(parts.rows.worst({}), least))
      return parts.failure.say(
          "The accelerations miss what {} `{}` asks for (relative error {:.1e}), though twice the digits would meet "
          "all constraints: rounding has taken the digits of this method. Likely cause: very heavy bodies beside very "
          "light ones in a loop. Choose another solver",
          kind, name, missed.part);
  }
  return say_contradiction(parts.failure, parts.model.view, kind, name, missed.part);
}

bool AbsoluteSystem::check_finite() noexcept { return absolute::check_finite(parts_->model, parts_->failure); }

double AbsoluteSystem::nearly_dependent() noexcept {
  return parts_->fine ? std::sqrt(parts_->fine->nearly_dependent()) : 0;
}

const AbsoluteAccelerations* AbsoluteSystem::accelerations_with_twice_the_digits() noexcept {
  Parts& parts = *parts_;
  parts.problem.set_rows(parts.model.rows.right());
  if (!parts.fine || !parts.fine->find_with_twice_the_digits()) return nullptr;
  parts.accelerations.found(parts.loads.efforts());
  return &parts.accelerations;
}

/// The more is subtracted from the zero block, the less a row that nearly depends on others is followed: a part p of
/// it, by p²/ε of what it misses, in every correction. Rows that hold by themselves are still met, in some more rounds.
void AbsoluteSystem::look_at_dependent_rows() noexcept {
  if (std::exchange(parts_->has_looked_at_rows, true)) return;
  constexpr double followed = 1e-10, most = 1e-4;
  const double part = nearly_dependent();
  const double epsilon = std::clamp(part * part / followed, absolute::projection_epsilon, most);
  parts_->positions.subtract_from_loops(epsilon);
  parts_->velocities.subtract_from_loops(epsilon);
}

bool AbsoluteSystem::check_regular() noexcept {
  parts_->failure.clear();
  if (parts_->fine) parts_->fine->look();
  return absolute::check_regular(parts_->model, parts_->scales, parts_->problem, parts_->solver);
}

}  // namespace polyform
