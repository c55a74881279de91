// The general code for devices of solvers in joint coordinates, and the tables of a world for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/device_program.hpp"
#include "polyform/solvers/lane_evaluation.hpp"

namespace polyform {

/// PTX of sdk/recursion/device/general_device.cpp; empty where the build had no compiler for devices.
std::string_view general_device_code() noexcept;

/// Of what runs on devices (DeviceWorld::obstacle).
class GeneralProgram final : public DeviceProgram {
 public:
  /// Shows the world of a solver, at a state that was encoded.
  void show(const LaneWorld& world) noexcept { world_ = world; }

  std::string_view code(std::string_view form) noexcept override;
  std::string_view function(std::string_view integrator) noexcept override;
  std::size_t room(std::string_view integrator) noexcept override;
  std::size_t table_size() noexcept override;
  Status tables(std::span<std::byte>) noexcept override;

 private:
  LaneWorld world_;
  std::string function_;
};

}  // namespace polyform
