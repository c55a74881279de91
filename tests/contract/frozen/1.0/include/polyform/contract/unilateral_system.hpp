// Time stepping with contact: the interface through which an integrator carries the rows that hold at times itself.
//
// With other integrators the host finds the events at which such rows (unilateral.hpp) begin and cease to hold. An
// integrator for many contacts does not look for events: in each step it finds impulses under which no gap closes
// beyond zero (Moreau 1988, Jean 1999). The host offers this interface next to FirstOrderSystem; it tells gaps, rates
// of rows and how they respond to impulses, for every formulation alike.
//
// Three rows belong to each point: the normal, then two tangents. Rows that a point lacks are zero everywhere.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/integrator.hpp"
#include "polyform/contract/unilateral.hpp"

namespace polyform {

/// FirstOrderSystem::query gives it where the model has such rows and the type of the integrator asks for it:
/// IntegratorType::query answers to the same name with any pointer but nullptr. The host then watches no gap and
/// applies no force of its own. All functions that can fail say why by failure(). y: a state of the system, with the
/// integrals.
class UnilateralSystem {
 public:
  static constexpr std::string_view interface_name = "polyform.unilateral_system.1";
  /// Whether a type of integrators carries the rows itself.
  static bool is_used_by(const IntegratorType& type) noexcept { return type.query(interface_name) != nullptr; }

  /// Finds the points that may close within `step`, s, at twice the speeds that y has, and all points without a gap.
  /// The other functions speak of these points, in this order, until the next call. May allocate where there are more
  /// points than ever before.
  virtual Status find_points(double t, std::span<const double> y, double step) noexcept = 0;
  virtual std::size_t point_count() const noexcept = 0;
  virtual void describe_point(std::size_t k, UnilateralPoint& out) const noexcept = 0;
  /// Writes gap, holding and sliding, one number for each point; the rest of `out` is not used. The positions of y are
  /// those of rates_at, find_response and put_forces until the next call.
  virtual Status evaluate(double t, std::span<const double> y, UnilateralOutput& out) noexcept = 0;
  /// Rates of all rows at the velocities of y, whose positions are those that were evaluated last; points × 3.
  virtual Status rates_at(double t, std::span<const double> y, std::span<double> rates) noexcept = 0;
  /// Finds how rates respond to impulses (Delassus' matrix): block c of point k has the change of the rates of k by a
  /// unit impulse on each row of the point columns[c], 3 × 3, rows first. The blocks of k are starts[k] to
  /// starts[k + 1]; points without a block do not feel each other. y is the state that was evaluated last.
  virtual Status find_response(double t, std::span<const double> y) noexcept = 0;
  virtual std::span<const std::size_t> starts() const noexcept = 0;
  virtual std::span<const std::size_t> columns() const noexcept = 0;
  virtual std::span<const double> blocks() const noexcept = 0;
  /// The forces of the same points in the step before, which end_step was told; zero of new points. Per row.
  virtual std::span<const double> last_forces() const noexcept = 0;
  /// Writes the forces of the rows into the states with which y applies them. Empty: there are none.
  virtual void put_forces(std::span<const double> forces, std::span<double> y) noexcept = 0;
  /// To be called once for each step, with its forces in y: counts what happened, writes the modes into y, and keeps
  /// the forces. residual: how far the rates are from the law of contact, m/s or rad/s, and `solved` whether that is
  /// within the tolerance. losses: per point the energy that an impact took, J; NaN where there was none.
  virtual void end_step(double t, double step, std::span<const double> forces, std::span<const UnilateralMode> modes,
                        std::span<const double> losses, double residual, bool solved, std::span<double> y) noexcept = 0;
  /// Moves the positions of y, a state at t that was evaluated last, as velocities would in a unit of time that
  /// impulses on the rows give, and counts the work of that.
  virtual Status displace(double t, std::span<const double> impulses, std::span<double> y) noexcept = 0;
  /// Why the last call failed: a sentence without a full stop.
  virtual std::string_view failure() const noexcept = 0;

 protected:
  ~UnilateralSystem() = default;
};

}  // namespace polyform
