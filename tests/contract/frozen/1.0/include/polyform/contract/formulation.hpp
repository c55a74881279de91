// Formulations and solvers: the interface between the host and a derivation of mechanics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

/// What a formulation can carry. Declared once, checked against each model before anything runs.
enum class Ability : std::uint32_t {
  closed_loops = 1u << 0,
  redundant_constraints = 1u << 1,
  flexible_bodies = 1u << 2,
  constraint_elements = 1u << 3,  ///< nonholonomic, prescribed and coupling constraints
  modules = 1u << 4,
  first_order_states = 1u << 5,  ///< states of force elements
  code_joints = 1u << 6,         ///< joints that are no sequence of primitive motions
  reactions = 1u << 7,
  singular_mass = 1u << 8,     ///< bodies without mass or inertia that the joints make regular
  discrete_states = 1u << 9,   ///< discrete states of elements (discrete_state.hpp)
  rheonomic_joints = 1u << 10  ///< joints that depend on time (rheonomic_joint.hpp)
};
constexpr std::uint32_t operator|(Ability a, Ability b) {
  return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b);
}
constexpr std::uint32_t operator|(std::uint32_t a, Ability b) { return a | static_cast<std::uint32_t>(b); }
constexpr bool has(std::uint32_t abilities, Ability a) { return (abilities & static_cast<std::uint32_t>(a)) != 0; }

/// What a correction after a step found and did.
struct Correction {
  Size<Correction> size{};
  double position_residual = 0, velocity_residual = 0;  ///< before the correction, largest: m or rad, m/s or rad/s
  std::size_t iterations = 0;                           ///< Newton steps on position

  /// Adds a further correction: residuals keep their largest value, steps are summed.
  void add(const Correction& next) {
    position_residual = position_residual < next.position_residual ? next.position_residual : position_residual;
    velocity_residual = velocity_residual < next.velocity_residual ? next.velocity_residual : velocity_residual;
    iterations += next.iterations;
  }
};

/// Formulation-independent observables at one instant. The host owns the arrays; a solver fills all of them.
/// Bodies and joints in the order of the system view; ground axes. Each member is a quantity that results may show.
struct Observation {
  Size<Observation> size{};
  struct Body {
    Pose pose;                                ///< of the body frame; the quaternion follows y continuously
    Vec3 velocity, angular_velocity;          ///< of the frame origin
    Vec3 acceleration, angular_acceleration;  ///< of the frame origin
  };
  Strided<Body> bodies{};
  /// Joint coordinates and velocities (cut joints too), modes, first-order states: together state().
  std::span<double> q{}, v{}, eta{}, etadot{}, x{};
  std::span<std::int32_t> discrete{};  ///< discrete states of the elements, part of state() too
  std::span<double> acceleration{};    ///< d/dt of the joints' velocity coordinates, all joints
  std::span<double> modal_acceleration{};
  std::span<double> state_rates{};         ///< d/dt of the first-order states
  std::span<double> module_multipliers{};  ///< of the modules' rows, module after module
  /// What each joint transmits to its moving body at the origin of M: constraint forces and joint efforts together
  /// (cut the joint: the wrench that keeps the motion as it was).
  std::span<Spatial> reactions{};
  double kinetic_energy = 0, potential_energy = 0;        ///< J; potential energy as in the model format
  double power = 0;                                       ///< of applied forces that have no potential, W
  double position_violation = 0, velocity_violation = 0;  ///< largest over all joints' constraint rows
  /// Covers all steps since the last observation; the host writes it, never a solver.
  const Correction* correction = nullptr;
  /// What the rows of the constraint elements carry, λ + effort of ConstraintOutput, element after element in the order
  /// of the view. NaN on entry.
  std::span<double> constraint_multipliers{};

  StateView state() const noexcept {
    return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete};
  }
};

enum class Status : std::int32_t { ok = 0, failed = 1 };

/// A formulation applied to one system, with its own workspace: one solver per thread. Nothing allocates, throws or
/// looks up a name after compile. The public functions check sizes once; a formulation writes the protected ones.
///
/// y is the formulation's own state vector. Everything that defines the future is in t, y and, where the solver has
/// any, its discrete state (discrete_state.hpp).
class Solver {
 public:
  std::size_t state_size() const noexcept { return do_state_size(); }
  /// Canonical state (consistent with the joints) to y.
  Status encode(const ConstStateView& state, std::span<double> y) noexcept {
    return y.size() == do_state_size() ? do_encode(state, y) : Status::failed;
  }
  /// y to canonical state.
  Status decode(std::span<const double> y, const StateView& state) noexcept {
    return y.size() == do_state_size() ? do_decode(y, state) : Status::failed;
  }
  /// ẏ = f(t, y). Changes no discrete state, and neither do decode and observe.
  Status derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
    return y.size() == do_state_size() && ydot.size() == y.size() ? do_derivative(t, y, ydot) : Status::failed;
  }
  /// Called after each accepted step: removes drift from y (quaternion lengths, constraints), and brings the solver's
  /// own discrete states up to date. Those of elements stay.
  Status correct(double t, std::span<double> y, Correction& out) noexcept {
    return y.size() == do_state_size() ? do_correct(t, y, out) : Status::failed;
  }
  Status observe(double t, std::span<const double> y, Observation& out) noexcept {
    return y.size() == do_state_size() ? do_observe(t, y, out) : Status::failed;
  }
  /// Why the last call failed: one plain sentence that names the body or joint; empty after success.
  virtual std::string_view failure() const noexcept = 0;
  /// Further abilities by name; nullptr when not there. A new ability is a new interface, never a new virtual here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }
  virtual void destroy() noexcept = 0;  ///< frees the object where it was made

 protected:
  ~Solver() = default;
  virtual std::size_t do_state_size() const noexcept = 0;
  virtual Status do_encode(const ConstStateView&, std::span<double> y) noexcept = 0;
  virtual Status do_decode(std::span<const double> y, const StateView&) noexcept = 0;
  virtual Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept = 0;
  virtual Status do_correct(double t, std::span<double> y, Correction&) noexcept = 0;
  virtual Status do_observe(double t, std::span<const double> y, Observation&) noexcept = 0;
};

class Formulation {
 public:
  virtual std::string_view name() const noexcept = 0;
  virtual std::string_view meaning() const noexcept = 0;  ///< one line
  virtual std::string_view source() const noexcept = 0;   ///< the paper
  virtual Strided<const FieldSpec> options() const noexcept = 0;
  virtual std::uint32_t abilities() const noexcept = 0;  ///< Ability bits
  /// If the user names no formulation, the host takes the one with the largest preference among those that can run the
  /// model.
  virtual int preference() const noexcept = 0;
  /// Whether this system can be run, beyond the declared abilities, which the host has checked (check_abilities).
  virtual bool supports(const SystemView&, DiagnosticSink&) const noexcept { return true; }
  /// A solver for the system, or nullptr after a report to the sink. options: one value per options().
  virtual Solver* compile(const SystemView&, Strided<const FieldValue> options, DiagnosticSink&) const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view interface_name) const noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~Formulation() = default;
};

}  // namespace polyform
