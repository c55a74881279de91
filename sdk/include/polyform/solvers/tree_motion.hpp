// The outward sweep of kinematics: orientations, angular velocities and hinges of all bodies at a state.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/flexible_links.hpp"
#include "polyform/solvers/hinged_tree.hpp"

namespace polyform {

/// The motion at the state that evaluate() was given last. The recursion needs no positions and velocities: frames()
/// finds them on request. Ground axes.
class TreeMotion {
 public:
  /// What the sweeps leave for one another, per body. Numbers that not every sweep reads have arrays of their own,
  /// because long chains need much memory.
  struct Work {
    Mat3 R;  ///< inside axes
    Vec3 omega;
    Vec3 r;  ///< from the parent's hinge point to P
  };

  /// The tree and the flexible bodies outlive the object.
  TreeMotion(const SystemView&, const HingedTree&, FlexibleLinks&);

  /// Writes q̇ of the tree joints.
  void position_rates(const double* q, const double* v, double* qdot) const noexcept;
  /// Evaluates at the coordinates and velocities of the tree joints and the modes, which are read until the next call.
  void evaluate(const double* q, const double* v, const double* eta, const double* etadot) noexcept;
  /// The same if nothing moves, joints by the clock included. still: zeros, as many as there are velocities and modes.
  void evaluate_at_rest(const double* q, const double* still, const double* eta) noexcept;
  /// Motions of all frames.
  std::span<const BodyMotion> frames(const double* v) noexcept;
  /// Motions of the last frames().
  std::span<const BodyMotion> frames() const { return frames_; }

  const Work& work(std::size_t i) const { return work_[i]; }
  /// The work of the body, or frame of a flexible body, that carries the hinge.
  const Work& inboard(const HingedTree::Link& link) const noexcept {
    static constexpr Work ground{Mat3::identity(), {}, {}};
    return link.inboard < 0 ? ground : work_[static_cast<std::size_t>(link.inboard)];
  }
  /// Acceleration of the hinge at v̇ = 0; for a ball it is not formed.
  const Spatial& beta(std::size_t i) const { return beta_[i]; }
  /// The motion subspace of a hinge, a column for each direction, to which the inward sweep adds the results of its
  /// elimination. Outboard body relative to inboard one, at the hinge point.
  Column<double>* columns(const HingedTree::Link& link) { return columns_.data() + link.first; }
  const Column<double>* columns(const HingedTree::Link& link) const { return columns_.data() + link.first; }
  std::span<const Column<double>> hinge(const HingedTree::Link& link) const {
    return std::span(columns_).subspan(link.first, link.count);
  }
  /// The arm from the origin of the frame that the hinge holds to P; after frames().
  Vec3 arm(std::size_t i) const noexcept { return frames_[i].R * tree_.frames[i].to_P; }
  const double* eta() const { return eta_; }
  const double* etadot() const { return etadot_; }

  /// As long as it lives nothing moves: angular velocities and beta are zero, places and hinges stay. For rigid bodies.
  class AtRest {
   public:
    explicit AtRest(TreeMotion&) noexcept;
    ~AtRest();
    AtRest(const AtRest&) = delete;
    AtRest& operator=(const AtRest&) = delete;

   private:
    TreeMotion& motion_;
  };

 private:
  void evaluate_nodes_and_general(const double* q, const double* v, const double* eta, const double* etadot) noexcept;
  void place_all(const double* q, const double* v) noexcept;
  template <HingedTree::Hinge kind>
  void place(std::size_t i, const double* q, const double* v) noexcept;
  void place_general(const HingedTree::Link& link, const Work& in, Work& work, std::size_t i) noexcept;
  void place_frames(std::size_t i) noexcept;
  Vec3 hinge_velocity(std::size_t i, const double* v) const noexcept;

  const HingedTree& tree_;
  FlexibleLinks& flexible_;
  JointMotions general_;  ///< of the general joints
  std::vector<double> angles_, sines_, cosines_;
  std::vector<Work> work_;  ///< of the links, then of the frames of flexible bodies
  std::vector<Spatial> beta_;
  std::vector<Column<double>> columns_;
  std::vector<Vec3> general_slide_;  ///< velocity of a general hinge's outboard P over the inboard body
  std::vector<BodyMotion> frames_;
  const double *eta_ = nullptr, *etadot_ = nullptr;
  std::vector<Vec3> moving_omega_;   ///< the values that AtRest puts back
  std::vector<Spatial> other_beta_;  ///< zero, or beta of what AtRest has stopped
};

}  // namespace polyform
