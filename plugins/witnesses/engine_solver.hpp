// A solver whose equations of motion another engine makes. What acts comes from the system view, as in every
// formulation; what is observed follows from the joint coordinates.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"
#include "engine_closing.hpp"
#include "engine_rows.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/centred_view.hpp"

namespace polyform::witnesses {

/// y = [q v x] of the system view.
/// Its members are the engine, the parts of the SDK that do what it cannot, and the arrays in which they exchange loads
/// and motions.
class EngineSolver final : public Solver, public Kernels, public SecondOrderSystem {
 public:
  /// engine: in the view of `centred`. kernel: its name, which lives as long as the plugin.
  EngineSolver(std::unique_ptr<CentredView> centred, std::unique_ptr<Engine> engine, std::string_view kernel);
  bool good() const { return forces_.good() && rows_.good(); }
  std::string_view failure() const noexcept override { return failure_; }
  void* query(std::string_view interface_name) noexcept override;
  void destroy() noexcept override { delete this; }

  std::size_t count() const noexcept override { return 1; }
  std::string_view name(std::size_t) const noexcept override { return kernel_; }

  std::span<const StateKind> kinds() const noexcept override { return kinds_; }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

 private:
  ~EngineSolver() = default;

  std::size_t do_state_size() const noexcept override;
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override;
  Status do_decode(std::span<const double> y, const StateView&) noexcept override;
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status do_correct(double t, std::span<double> y, Correction&) noexcept override;
  Status do_observe(double t, std::span<const double> y, Observation&) noexcept override;

  bool find_accelerations(double t, std::span<const double> y) noexcept;
  bool accelerate(std::span<const double> y) noexcept;
  bool meet_rows(std::span<const double> y) noexcept;
  void find_reactions(std::span<Spatial> reactions) noexcept;
  bool fail(std::string_view why) noexcept;

  const SystemView& view() const { return centred_->view(); }
  const double* q(std::span<const double> y) const { return y.data(); }
  const double* v(std::span<const double> y) const { return y.data() + view().nq; }
  std::span<const double> x(std::span<const double> y) const { return y.last(view().states); }

  std::unique_ptr<CentredView> centred_;
  std::unique_ptr<Engine> engine_;
  std::string_view kernel_;
  TreeKinematics tree_;
  ForceSet forces_;
  EngineRows rows_;
  std::vector<BodyIndex> loaded_;  ///< bodies on which forces or rows act
  EngineClosing closing_;
  std::vector<StateKind> kinds_;
  std::vector<double> vdot_, efforts_, xdot_;
  /// Per body, about its frame origin, ground axes. forces_alone_: what acts without the rows.
  std::vector<Spatial> accelerations_, wrenches_, forces_alone_, loads_;
  std::vector<Quat> orientations_;
  std::string failure_;
};

}  // namespace polyform::witnesses
