// The source of a solver in joint coordinates by the Recursion (model_source.hpp), and its world on a device.
#pragma once

#include <string>

#include "polyform/contract/device_world.hpp"
#include "polyform/contract/model_source.hpp"
#include "polyform/solvers/lane_evaluation.hpp"

namespace polyform {

/// Of what LaneEvaluation carries: the kernels of the lanes, unrolled for the world.
class JointCoordinateSource final : public ModelSource, public DeviceWorld {
 public:
  /// Shows the world of a solver.
  void show(const LaneWorld& world) noexcept { world_ = world; }

  Status write(std::string_view name, std::string_view model, std::span<Solver* const> variants,
               TextSink&) noexcept override;
  std::string_view failure() const noexcept override { return failure_; }

  std::string_view obstacle() noexcept override;
  std::uint64_t structure() noexcept override;
  std::size_t number_count() noexcept override;
  Status numbers(std::span<double>) noexcept override;

 private:
  std::string find_misfit(const LaneWorld* variant) const;

  LaneWorld world_;
  std::string failure_, obstacle_;
};

}  // namespace polyform
