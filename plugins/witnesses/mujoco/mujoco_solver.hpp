// Equations of motion by MuJoCo: its kinematics, its mass matrix by composite rigid bodies, its bias forces by recursive
// Newton–Euler. What acts and what is observed comes from the system view, as in every formulation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mujoco_model.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/centred_view.hpp"

namespace polyform::mujoco {

/// y = [q v x] of the system view.
class MujocoSolver final : public Solver, public Kernels {
 public:
  MujocoSolver(const SystemView&, std::string& refusal);
  bool good() const { return model_ != nullptr && forces_.good(); }
  std::string_view failure() const noexcept override { return failure_; }
  void* query(std::string_view interface_name) noexcept override;
  void destroy() noexcept override { delete this; }

  std::size_t count() const noexcept override { return 1; }
  std::string_view name(std::size_t) const noexcept override { return "MuJoCo"; }

 private:
  ~MujocoSolver() = default;

  std::size_t do_state_size() const noexcept override;
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  bool find_accelerations(double t, std::span<const double> y) noexcept;
  void set_state(const double* q, const double* v) noexcept;
  void add_forces() noexcept;
  void take_accelerations() noexcept;
  void find_reactions(std::span<Spatial> reactions) noexcept;

  const SystemView& view() const { return centred_.view(); }
  const double* q(std::span<const double> y) const { return y.data(); }
  const double* v(std::span<const double> y) const { return y.data() + view().nq; }
  std::span<const double> x(std::span<const double> y) const { return y.last(view().states); }

  CentredView centred_;
  std::unique_ptr<MujocoModel> model_;
  TreeKinematics tree_;
  ForceSet forces_;
  std::vector<double> vdot_, efforts_, xdot_;
  std::vector<mjtNum> right_, solution_;          ///< per velocity coordinate of MuJoCo
  std::vector<Spatial> accelerations_, wrenches_;  ///< per body, about its frame origin, ground axes
  std::vector<Spatial> loads_;
  std::vector<Quat> orientations_;
  std::string failure_;
};

}  // namespace polyform::mujoco
