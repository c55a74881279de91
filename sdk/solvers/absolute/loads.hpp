// f: what acts on the blocks, gyroscopic terms and weight included.
#pragma once

#include <span>
#include <vector>

#include "polyform/solvers/absolute/model.hpp"

namespace polyform::absolute {

/// The loads on all blocks at the motions last evaluated, and the efforts of all joints that are in them.
class Loads {
 public:
  /// f: where the loads of all blocks go. Both outlive the object.
  Loads(const Model& model, std::span<double> f)
      : model_(model), f_(f), efforts_(model.view.nv), sizes_(model.view.bodies.size()) {}

  /// wrenches: applied, about the mass centres (of flexible bodies the frame origins), without gravity and gyroscopic
  /// terms; efforts: on the velocity coordinates of all joints; modal_forces: applied, of all modes.
  void set(std::span<const Spatial> wrenches, std::span<const double> efforts,
           std::span<const double> modal_forces) noexcept;
  std::span<const double> values() const { return f_; }
  /// The sums of the sizes of what acts on a body, N and N m. They stay where the loads themselves cancel, as those of
  /// a brake that holds a shaft against a torque.
  struct Size {
    double force = 0, moment = 0;
  };
  const Size& size(std::size_t body) const { return sizes_[body]; }
  std::span<const double> efforts() const { return efforts_; }  ///< on all joints, those of modules included

 private:
  void add_size(std::size_t block, const Spatial& load) noexcept;
  void apply_flexible_forces(std::span<const double> modal_forces) noexcept;
  void apply_wrench(FrameIndex, const Spatial& about_origin) noexcept;
  void apply_modules() noexcept;
  void apply_joint_effort(std::size_t joint) noexcept;
  void apply_element_effort(std::size_t constraint) noexcept;

  const Model& model_;
  std::span<double> f_;
  std::vector<double> efforts_;
  std::vector<Size> sizes_;
};

}  // namespace polyform::absolute
