// All applied forces of a system, for every formulation: from motions of bodies and joints to wrenches and efforts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/attachments.hpp"

namespace polyform {

class ForceSet {
 public:
  /// Makes the batches of all force types of the system. good() tells whether all could be made.
  /// origin: the point from which positions of the frames count.
  explicit ForceSet(const SystemView&, const Vec3& origin = {});
  ~ForceSet();
  ForceSet(const ForceSet&) = delete;
  ForceSet& operator=(const ForceSet&) = delete;

  bool good() const { return good_; }
  bool empty() const { return groups_.empty(); }
  /// Bodies on which some force acts by a marker, at the body frame or at a node; and the nodes among those frames.
  std::span<const BodyIndex> loaded_bodies() const { return loaded_; }
  std::span<const FrameIndex> loaded_nodes() const { return loaded_nodes_; }
  /// Whether any force acts on a joint.
  bool loads_joints() const { return loads_joints_; }

  /// From now on evaluations use the discrete states in `discrete`, of all elements of the system, as they stand there
  /// at that time. If it is empty, and before the first call, they use those of the start.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    discrete_ = discrete.empty() ? std::span<const std::int32_t>(initial_) : discrete;
  }
  /// Evaluates all forces. q, v: coordinates of all joints (canonical order), x: first-order states.
  /// frames: bodies, then nodes. wrenches: one per frame, about its origin, ground axes; only those of loaded_bodies()
  /// and loaded_nodes() are written (NodeMotions::add_wrench takes a node's to its body).
  /// efforts: one per v, zeroed first; xdot: one per x.
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                std::span<const double> x, std::span<Spatial> wrenches, std::span<double> efforts,
                std::span<double> xdot) noexcept;
  /// The instances of one type, for those who ask their batch for more.
  struct Part {
    ForceBatch& batch;
    std::string_view type;
    const Attachments& attached;
    std::size_t state_offset, state_count;
  };
  std::size_t parts() const { return groups_.size(); }
  Part part(std::size_t i) const {
    const Group& g = groups_[i];
    return {*g.batch, g.type, g.attached, g.state_offset, g.state_count};
  }
  double potential_energy() const { return potential_energy_; }
  double power() const { return power_; }
  /// Starting values of all first-order states, without the motion.
  void initial_states(std::span<double> x) const noexcept;
  /// Starting values of the states that follow from the initial motion (InitialStates) at time t; the others stay.
  /// Arguments as of evaluate.
  void states_at_start(std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                       std::span<double> x, double t = 0) noexcept;

 private:
  struct Group {
    ForceBatch* batch;
    std::string_view type;
    std::size_t state_offset, state_count;
    Attachments attached;
    std::vector<Spatial> wrenches;
    std::vector<double> efforts;
    std::size_t discrete_offset, discrete_count;
  };
  std::vector<Group> groups_;
  std::vector<std::int32_t> initial_;       ///< discrete states of the forces at the start
  std::span<const std::int32_t> discrete_;  ///< those of all elements, in use
  std::vector<BodyIndex> loaded_;
  std::vector<FrameIndex> loaded_nodes_;
  bool loads_joints_ = false, good_ = true;
  double potential_energy_ = 0, power_ = 0;
};

}  // namespace polyform
