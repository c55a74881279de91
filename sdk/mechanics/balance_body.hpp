// What is left of the equations of motion of one body.
#pragma once

#include <span>
#include <vector>

#include "balance_loads.hpp"
#include "polyform/mechanics/balance.hpp"

namespace polyform::balance {

/// The balance of the bodies of a system, one after another.
class BodyBalance {
 public:
  /// All arguments outlive the object.
  BodyBalance(const SystemView&, const SystemScales&, const Loads&);

  /// Before the first body of an observation.
  void start() noexcept;
  /// The largest acceleration in the system, or that its turning, its efforts or the forces on one of its bodies could
  /// ask for, m/s²; before the first body.
  void take_part_in(double acceleration) noexcept { largest_acceleration_ = acceleration; }
  /// What is left of the balance of a body, as a part of what it should be (Imbalance).
  double part(std::size_t body, const Observation&, const Rounding&) noexcept;
  // The largest ratio since start() of the forces through a body to its inertia force, and that body.
  double overshadowed() const { return overshadowed_; }
  std::size_t overshadowed_body() const { return overshadowed_body_; }

 private:
  /// A row of a constraint element on a body: what it puts there is not observed.
  struct Row {
    std::size_t body, element, row, marker;
  };
  void find_rows();
  void note_shadow(std::size_t body, double times) noexcept;
  void balance_rigid(std::size_t body, const Observation&, const Rounding&) noexcept;
  void balance_flexible(std::size_t element, const Observation&) noexcept;
  void add_nodes(std::size_t element, double turned, Spatial& on_body, Terms&) noexcept;
  void remove_constraint_forces(std::size_t body) noexcept;
  void enter_row(const Row&, double* w) const noexcept;
  std::size_t size_of(std::size_t body) const noexcept;

  const SystemView& view_;
  const SystemScales& system_scales_;
  const Loads& loads_;
  std::vector<Row> rows_;             ///< in the order of bodies
  std::vector<double> basis_;         ///< of the rows of one body
  std::vector<double> rest_, scale_;  ///< of one body: what is left, and what it is seen against; moment, force, modes
  double largest_acceleration_ = 0;
  double overshadowed_ = 0;
  std::size_t overshadowed_body_ = 0;
};

}  // namespace polyform::balance
