// Equations of motion by MuJoCo: its kinematics, its mass matrix by composite rigid bodies, its bias forces by
// recursive Newton–Euler. Wrenches go through its Jacobians.
#pragma once

#include <memory>
#include <vector>

#include "../engine.hpp"
#include "mujoco_model.hpp"

namespace polyform::mujoco {

/// It computes trees only.
class MujocoEngine final : public witnesses::Engine {
 public:
  explicit MujocoEngine(std::unique_ptr<MujocoModel>);
  bool accelerate(const double* q, const double* v, const Loads&, std::span<double> vdot) noexcept override;
  void cut_reactions(std::span<Spatial>) noexcept override {}
  bool correct(double*, double*, Correction&) noexcept override { return true; }
  double position_violation() const noexcept override { return 0; }
  double velocity_violation() const noexcept override { return 0; }
  std::string_view failure() const noexcept override { return "MuJoCo finds the mass matrix singular"; }

 private:
  void set_state(const double* q, const double* v) noexcept;
  void add_loads(const Loads&) noexcept;
  void take_accelerations(std::span<double> vdot) const noexcept;

  std::unique_ptr<MujocoModel> model_;
  std::vector<mjtNum> right_, solution_;  ///< per velocity coordinate of MuJoCo
};

}  // namespace polyform::mujoco
