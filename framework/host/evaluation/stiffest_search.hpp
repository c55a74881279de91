// Finds the element of a system to which a fast motion belongs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/stiffest_element.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline evaluation {

/// The search compares the work of each force, and of each mode of a flexible body, in the motion: the work of the
/// change of its loads along the displacements (springs) and along their rates (dampers). A row of a constraint that
/// the motion breaks comes before them. Allocates.
class StiffestSearch final : public StiffestElement {
 public:
  /// The arguments outlive the object.
  StiffestSearch(const SystemView&, Solver&);
  ~StiffestSearch();  // where Loads is known
  std::string_view stiffest(double t, std::span<const double> y, std::span<const double> direction,
                            double rate) noexcept override;

 private:
  /// A canonical state with the motions of all frames.
  struct Moment {
    explicit Moment(const SystemView&);
    StateView view();

    std::vector<double> q, v, eta, etadot, x;
    std::vector<std::int32_t> discrete;
    TreeKinematics kinematics;
  };
  /// What the changes of loads do along displacements, and along velocities.
  struct Work {
    double by_displacements = 0, by_velocities = 0;
  };
  bool place(std::span<const double> y, Moment&);
  /// The loads of all forces of one type at two moments, by a batch of its own.
  struct Loads;
  double work_of(const Loads&, std::size_t instance, double rate) const;
  Work work_at_joints(const Loads&, std::size_t instance) const;
  void look_at_forces(double t, double rate);
  void look_at_modes(double rate);
  void note(double work, std::string name);

  const SystemView& view_;
  Solver& solver_;
  std::vector<std::unique_ptr<Loads>> forces_;
  FlexibleSet flexible_;
  Moment here_, between_, there_;
  double most_ = 0;
  std::string name_;
};

}  // namespace polyform::host::evaluation
