// A batch of solvers' worlds as the integrators of lanes see it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "framework/host/integration/counted_system.hpp"
#include "framework/host/integration/integration.hpp"
#include "polyform/contract/batch_integration.hpp"

namespace polyform::host::inline simulation {

/// Derivatives of all lanes by a batch, those that it cannot find by the lane's own equation, which has words for why.
/// It is also the integrator type by which each run gets the integrator of its lane.
class LaneSystem final : public BatchSystem, private IntegratorType {
 public:
  LaneSystem(BatchEvaluation&, const IntegratorChoice&);
  LaneSystem(const LaneSystem&) = delete;
  LaneSystem& operator=(const LaneSystem&) = delete;

  BatchEvaluation& batch() { return batch_; }
  /// The choice with which the next run integrates in the lane.
  IntegratorChoice choice_for(std::size_t lane);
  /// The integrators, once the first run has begun.
  BatchIntegrator& integrators() { return *integrators_; }

  std::size_t lanes() const noexcept override { return worlds_.size(); }
  FirstOrderSystem& world(std::size_t lane) noexcept override { return *worlds_[lane]; }
  void derivatives(const BatchInput&, BatchOutput&) noexcept override;

 private:
  struct Destroy {
    void operator()(BatchIntegrator* all) const noexcept { all->destroy(); }
  };

  // Everything but the lane is that of the type itself.
  std::string_view name() const noexcept override { return choice_.type->name(); }
  std::string_view meaning() const noexcept override { return choice_.type->meaning(); }
  std::string_view source() const noexcept override { return choice_.type->source(); }
  Strided<const FieldSpec> fields() const noexcept override { return choice_.type->fields(); }
  int order() const noexcept override { return choice_.type->order(); }
  bool fixed_step() const noexcept override { return choice_.type->fixed_step(); }
  int preference() const noexcept override { return choice_.type->preference(); }
  /// The first one of a run is that of its lane; further ones, for its checks, stand alone.
  Integrator* create(FirstOrderSystem&, const StepSettings&, Strided<const FieldValue>,
                     DiagnosticSink&) const noexcept override;
  Integrator* take_lane(FirstOrderSystem&, const StepSettings&) noexcept;
  bool evaluate_alone(std::size_t lane, const BatchInput&, BatchOutput&) noexcept;

  BatchEvaluation& batch_;
  IntegratorChoice choice_;
  std::vector<FirstOrderSystem*> worlds_;
  std::vector<CountedSystem*> counted_;
  std::unique_ptr<BatchIntegrator, Destroy> integrators_;
  std::size_t next_lane_;  ///< of the next integrator; lanes() where it stands alone
  std::size_t size_ = 0;   ///< of each world
  std::vector<double> trouble_, y_, ydot_;
};

}  // namespace polyform::host::simulation
