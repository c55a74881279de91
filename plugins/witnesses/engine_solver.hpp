// A solver whose equations of motion another engine makes. What acts comes from the system view, as in every
// formulation; what is observed follows from the joint coordinates.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/centred_view.hpp"

namespace polyform::witnesses {

/// A system in another engine. Coordinates are those of the system view.
class Engine {
 public:
  virtual ~Engine() = default;
  /// What acts: wrenches on these bodies, about the origins of their frames, ground axes; efforts per velocity
  /// coordinate, none if no force acts on a joint.
  struct Loads {
    std::span<const BodyIndex> bodies;
    std::span<const Spatial> wrenches;  ///< per body of the system
    std::span<const double> efforts;
  };
  /// v̇ of all joints. False if the engine fails; failure() tells why then.
  virtual bool accelerate(const double* q, const double* v, const Loads&, std::span<double> vdot) noexcept = 0;
  /// After accelerate(): what each cut joint transmits to its moving body at the origin of M, ground axes.
  virtual void cut_reactions(std::span<Spatial> out) noexcept = 0;
  /// Brings coordinates back onto the loops.
  virtual bool correct(double* q, double* v, Correction&) noexcept = 0;
  /// After accelerate(): largest residuals of the loops, m or rad and their rates.
  virtual double position_violation() const noexcept = 0;
  virtual double velocity_violation() const noexcept = 0;
  virtual std::string_view failure() const noexcept = 0;
};

/// y = [q v x] of the system view.
class EngineSolver final : public Solver, public Kernels {
 public:
  /// engine: in the view of `centred`. kernel: its name, which lives as long as the plugin.
  EngineSolver(std::unique_ptr<CentredView> centred, std::unique_ptr<Engine> engine, std::string_view kernel);
  bool good() const { return forces_.good(); }
  std::string_view failure() const noexcept override { return failure_; }
  void* query(std::string_view interface_name) noexcept override;
  void destroy() noexcept override { delete this; }

  std::size_t count() const noexcept override { return 1; }
  std::string_view name(std::size_t) const noexcept override { return kernel_; }

 private:
  ~EngineSolver() = default;

  std::size_t do_state_size() const noexcept override;
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  bool find_accelerations(double t, std::span<const double> y) noexcept;
  void find_reactions(std::span<Spatial> reactions) noexcept;
  bool fail() noexcept;

  const SystemView& view() const { return centred_->view(); }
  const double* q(std::span<const double> y) const { return y.data(); }
  const double* v(std::span<const double> y) const { return y.data() + view().nq; }
  std::span<const double> x(std::span<const double> y) const { return y.last(view().states); }

  std::unique_ptr<CentredView> centred_;
  std::unique_ptr<Engine> engine_;
  std::string_view kernel_;
  TreeKinematics tree_;
  ForceSet forces_;
  std::vector<double> vdot_, efforts_, xdot_;
  std::vector<Spatial> accelerations_, wrenches_, loads_;  ///< per body, about its frame origin, ground axes
  std::vector<Quat> orientations_;
  std::string failure_;
};

}  // namespace polyform::witnesses
