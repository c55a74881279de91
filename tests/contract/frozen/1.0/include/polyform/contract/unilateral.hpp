// Rigid contact, stops, clutches and dry friction: rows that hold at times.
//
// A ball on a floor cannot go down, and may rise; a block sticks while friction can hold it, and slides where it
// cannot; an overrunning clutch drives one way. Such a row holds (its rate stays zero) while it can have the force that
// this takes, and else lets go. A force type whose batch gives this interface describes its rows; the host finds the
// forces, for every formulation alike:
//
//   - which rows hold is constant between events; the host locates the events (a gap that closes, a force that would
//     pull, friction at its limit, sliding that comes to rest) and finds out which rows hold from there on;
//   - the forces of the rows that hold follow from the response of the solver to unit forces (Delassus' matrix), so
//     that joints, loops and motors take part as they are;
//   - where a gap closes with a speed, velocities jump by impulses, with restitution.
//
// The forces are first-order states of the element with a rate of zero: the host writes them (put_forces) before it
// asks a solver for anything, and `evaluate` applies them. So they are constants for a solver, and results, reactions
// and energies contain them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "polyform/contract/events.hpp"

namespace polyform {

/// A place where an element may touch, stick or lock: one row along the normal, up to two along the surface.
struct UnilateralPoint {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Size<UnilateralPoint> size{};
  std::size_t instance = 0;           ///< of the batch
  std::string_view name = "contact";  ///< for messages
  bool has_normal = true;             ///< a force along the normal, which pushes only
  bool has_gap = true;  ///< it pushes while the gap is closed; without: while the rate of the row is zero (a freewheel)
  std::size_t tangents = 0;  ///< rows of friction: 0, 1 or 2
  /// Speed after an impact over the speed before (Newton), or impulse of the expansion over that of the compression
  /// (Poisson).
  double restitution = 0;
  bool poisson = false;
  std::size_t velocity = none;  ///< among those of the instance's joints: the one that the rows are about
};

/// What the points have at one state. Per point three rows: the normal, then the tangents; rows that a point lacks are
/// not read. With V the twists of the instance's markers (angular velocity, velocity of the point; ground axes) and v
/// the joint velocity that the point is about, the rate of a row is A V + B v, and d/dt of it A V̇ + B v̇ + bias. The
/// rate of the normal's row is that of the gap. All numbers are zero on entry.
struct UnilateralOutput {
  Size<UnilateralOutput> size{};
  std::span<double> gap{};   ///< per point; 0 if it has none
  std::span<Spatial> A{};    ///< points × 3 × 2: of the instance's first two markers
  std::span<double> B{};     ///< points × 3
  std::span<double> bias{};  ///< points × 3
  /// Friction at rest and in sliding: per point a share of the normal force; for a point without normal the force
  /// itself.
  std::span<double> holding{}, sliding{};
};

/// What a point does.
enum class UnilateralMode : std::int32_t { open = 0, stick = 1, slip = 2 };

/// ForceBatch::query gives it. ForceType::query answers to the same name with any pointer but nullptr, so that a model
/// tells that it has such rows before batches are made. Nothing allocates or throws; what is given depends on the input
/// only.
class UnilateralRows {
 public:
  static constexpr std::string_view interface_name = "polyform.unilateral_rows.1";
  /// Whether the batches of a force type give it.
  static bool are_of(const ForceType& type) noexcept { return type.query(interface_name) != nullptr; }
  virtual std::size_t point_count() const noexcept = 0;  ///< of all instances; constant
  virtual void describe_point(std::size_t k, UnilateralPoint& out) const noexcept = 0;
  virtual void evaluate_points(const EventInput&, UnilateralOutput&) noexcept = 0;
  /// Writes the states (of all instances, as in ForceInput::states) with which `evaluate` applies the forces λ of the
  /// rows, points × 3: the wrench Aᵀ λ on each marker and the effort Bᵀ λ. It may write others that only tell of λ.
  virtual void put_forces(const EventInput&, std::span<const double> forces, std::span<double> states) noexcept = 0;
  /// Writes the states that show the modes; one mode per point.
  virtual void put_modes(std::span<const UnilateralMode> modes, std::span<double> states) noexcept = 0;
  /// Called after an impact at a point, which took the energy `loss`, J.
  virtual void pass_impact(std::size_t point, double loss, std::span<double> states) noexcept = 0;

 protected:
  ~UnilateralRows() = default;
};

}  // namespace polyform
