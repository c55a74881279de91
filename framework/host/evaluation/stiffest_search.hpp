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
/// change of its loads along the displacements (springs) and along their rates (dampers). States of a signal,
/// a force or a module that are so fast by themselves, while nothing else moves, come before them, and a row of a
/// constraint that the motion breaks before all. Allocates.
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
  /// Markers and joints of one force within an instance: an element of forces that follow signals holds several.
  struct Range {
    std::size_t marker, markers, joint, joints;
  };
  double work_of(const Loads&, std::size_t instance, const Range&, double rate) const;
  Work work_at_joints(const Loads&, std::size_t instance, const Range&) const;
  void note_force(const Loads&, std::size_t instance, double rate);
  void look_at_forces(double t, double rate);
  void look_at_modes(double rate);
  /// First-order states of one signal, force or module, as numbers of the system.
  struct OwnStates {
    std::string name;
    std::vector<std::size_t> states, places;  ///< places: of the states in those of the solver
  };
  void find_states(std::span<const double> y);
  void look_at_states(double t, std::span<const double> y, std::span<const double> step, double rate);
  void note(double work, std::string name);

  const SystemView& view_;
  Solver& solver_;
  std::vector<std::unique_ptr<Loads>> forces_;
  FlexibleSet flexible_;
  Moment here_, between_, there_;
  std::vector<OwnStates> own_states_;
  bool states_found_ = false;  ///< the places of own_states_
  double most_ = 0;
  std::string name_;
};

}  // namespace polyform::host::evaluation
