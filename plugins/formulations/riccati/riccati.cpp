#include "riccati.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <string>

#include "paper/sweep.hpp"
#include "polyform/force_set.hpp"
#include "polyform/observation.hpp"
#include "recursion.hpp"

namespace polyform::riccati {
namespace {

/// Why a sweep failed, where the joint has inertia to move; nullptr where it has none.
const char* obstacle(const Recursion&) { return nullptr; }
const char* obstacle(const paper::Sweep& sweep) { return sweep.failure(); }

/// y = [q v x]: coordinates and velocities of the tree joints, first-order states of the forces.
/// Sweep: what evaluates the method, Recursion or one of the paper's variants; options: what it is made with.
template <class Sweep>
class RiccatiSolver final : public Solver {
 public:
  template <class... Options>
  explicit RiccatiSolver(const SystemView& view, const Options&... options)
      : view_(view),
        recursion_(view, options...),
        forces_(view),
        tree_(view),
        wrenches_(view.bodies.size()),
        efforts_(view.nv_tree),
        vdot_(view.nv_tree),
        xdot_(view.states),
        accelerations_(view.bodies.size()),
        orientations_(view.bodies.size()) {
    failure_.reserve(300);
  }
  bool good() const { return forces_.good(); }

  std::string_view failure() const noexcept override { return failure_; }
  void destroy() noexcept override { delete this; }

 protected:
  std::size_t do_state_size() const noexcept override { return view_.nq_tree + view_.nv_tree + view_.states; }

  Status do_encode(const ConstStateView& state, std::span<double> y) noexcept override {
    auto out = std::copy_n(state.q.begin(), view_.nq_tree, y.begin());
    out = std::copy_n(state.v.begin(), view_.nv_tree, out);
    std::copy(state.x.begin(), state.x.end(), out);
    return Status::ok;
  }

  Status do_decode(std::span<const double> y, const StateView& state) noexcept override {
    std::copy_n(y.begin(), view_.nq_tree, state.q.begin());
    std::copy_n(y.data() + view_.nq_tree, view_.nv_tree, state.v.begin());
    std::copy_n(y.data() + view_.nq_tree + view_.nv_tree, view_.states, state.x.begin());
    return Status::ok;
  }

  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    recursion_.position_rates(y.data(), y.data() + view_.nq_tree, ydot.data());
    return solve(t, y, ydot.data() + view_.nq_tree, ydot.subspan(view_.nq_tree + view_.nv_tree), false);
  }

  /// Joint coordinates of a tree satisfy every joint: only the lengths of quaternions drift.
  Status do_correct(double, std::span<double> y, Correction& out) noexcept override {
    out = {};
    for (const JointData& joint : view_.tree_joints())
      out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
    return Status::ok;
  }

  Status do_observe(double t, std::span<const double> y, Observation& out) noexcept override {
    if (solve(t, y, vdot_.data(), xdot_, true) == Status::failed) return Status::failed;
    do_decode(y, out.state);
    const std::span<const BodyMotion> motions = recursion_.motions(y.data() + view_.nq_tree);
    tree_.orientations(y.data(), orientations_);
    recursion_.body_accelerations(accelerations_);
    for (std::size_t i = 0; i < motions.size(); ++i)
      out.bodies[i] = {{orientations_[i], motions[i].p},
                       motions[i].V.linear,
                       motions[i].V.angular,
                       accelerations_[i].linear,
                       accelerations_[i].angular};
    std::copy(vdot_.begin(), vdot_.end(), out.acceleration.begin());
    recursion_.reactions(out.reactions);
    out.kinetic_energy = kinetic_energy(view_, motions);
    out.potential_energy = gravity_potential(view_, motions) + forces_.potential_energy();
    out.power = forces_.power();
    out.position_violation = out.velocity_violation = 0;
    return Status::ok;
  }

 private:
  Status solve(double t, std::span<const double> y, double* vdot, std::span<double> xdot, bool observing) noexcept {
    const double *q = y.data(), *v = y.data() + view_.nq_tree;
    recursion_.kinematics(q, v);
    if (!forces_.empty())
      forces_.evaluate(t, forces_.loaded_bodies().empty() ? std::span<const BodyMotion>() : recursion_.motions(v),
                       y.first(view_.nq_tree), y.subspan(view_.nq_tree, view_.nv_tree),
                       y.subspan(view_.nq_tree + view_.nv_tree), wrenches_, efforts_, xdot);
    const bool solved = recursion_.accelerations(
        forces_.loaded_bodies(), wrenches_,
        forces_.loads_joints() ? std::span<const double>(efforts_) : std::span<const double>(), vdot, observing);
    if (solved) {
      failure_.clear();
      return Status::ok;
    }
    const JointData& joint = view_.joints[recursion_.failed_joint()];
    failure_.clear();
    if (const char* reason = obstacle(recursion_)) {
      fmt::format_to_n(std::back_inserter(failure_), 300, "joint `{:.60}` {}", joint.name, reason);
      return Status::failed;
    }
    const bool finite = std::all_of(y.begin(), y.end(), [](double x) { return std::isfinite(x); }) &&
                        std::all_of(efforts_.begin(), efforts_.end(), [](double x) { return std::isfinite(x); });
    if (!finite) {
      failure_ = "the state or a force is not finite: it has gone astray, or the step is too long";
      return Status::failed;
    }
    fmt::format_to_n(std::back_inserter(failure_), 300,
                     "joint `{:.60}` moves body `{:.60}` without any inertia against it", joint.name,
                     view_.bodies[recursion_.failed_joint()].name);
    return Status::failed;
  }

  const SystemView& view_;
  Sweep recursion_;
  ForceSet forces_;
  TreeKinematics tree_;
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_, vdot_, xdot_;
  std::vector<Spatial> accelerations_;
  std::vector<Quat> orientations_;
  std::string failure_;
};

constexpr std::string_view algorithms[] = {"riccati", "transfer-product"};
constexpr std::string_view branch_ways[] = {"condensed", "overall"};

constexpr FieldSpec option_fields[] = {
    {"algorithm", FieldType::choice, "",
     "chains: riccati passes S and e; transfer-product multiplies U_n … U_1 and loses digits with the length", false,
     "riccati", algorithms},
    {"branches", FieldType::choice, "",
     "bodies with several inputs: condensed one after the other, or in one dense overall equation", false, "condensed",
     branch_ways}};

/// A solver, or nullptr when memory ran out for its forces.
template <class Sweep, class... Options>
Solver* made(const SystemView& view, const Options&... options) {
  auto* solver = new RiccatiSolver<Sweep>(view, options...);
  if (solver->good()) return solver;
  solver->destroy();
  return nullptr;
}

class RiccatiFormulation final : public Formulation {
 public:
  std::string_view name() const noexcept override { return "riccati"; }
  std::string_view meaning() const noexcept override {
    return "Riccati transfer matrix method: joint coordinates, recursion from tips to roots, linear in the bodies";
  }
  std::string_view source() const noexcept override {
    return "Rui, Bestle, Wang, Zhang: A new version of the Riccati transfer matrix method for multibody systems "
           "consisting of chain and branch bodies. Multibody System Dynamics 49 (2020)";
  }
  std::span<const FieldSpec> options() const noexcept override { return option_fields; }
  std::uint32_t abilities() const noexcept override {
    return Ability::first_order_states | Ability::code_joints | Ability::reactions | Ability::singular_mass;
  }
  int preference() const noexcept override { return 50; }

  Solver* compile(const SystemView& view, std::span<const FieldValue> options,
                  DiagnosticSink& sink) const noexcept override {
    const paper::Variant variant{options[0].integer == 1, options[1].integer == 1};
    try {
      std::string why;
      if (!paper::can_carry(view, variant, why)) {
        sink.report({Severity::error, why, "use the option `branches: condensed`", {}, {}, 0, 0});
        return nullptr;
      }
      const bool fast = !variant.product && !variant.overall;
      if (Solver* solver = fast ? made<Recursion>(view) : made<paper::Sweep>(view, variant)) return solver;
    } catch (const std::bad_alloc&) {
    }
    sink.report({Severity::error, "memory ran out while the solver was made", {}, {}, {}, 0, 0});
    return nullptr;
  }
};

}  // namespace

const Formulation& formulation() noexcept {
  static const RiccatiFormulation instance;
  return instance;
}

}  // namespace polyform::riccati
