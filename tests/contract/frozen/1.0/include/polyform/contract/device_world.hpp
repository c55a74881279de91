// A world as runs on a device take it: an interface of Solver, by query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// Solver::query(DeviceWorld::interface_name) of a solver whose source (model_source.hpp) may run on a device: its
/// functions for devices take the numbers of each world in this order (solvers/compiled_device.hpp).
class DeviceWorld {
 public:
  static constexpr std::string_view interface_name = "polyform.device_world.1";

  /// Why a device cannot run the world: a sentence without a full stop, such as "it has flexible bodies"; empty
  /// where it can.
  virtual std::string_view obstacle() noexcept = 0;
  /// Worlds of equal structure differ in their numbers alone. With loops it depends on the state that was encoded last.
  virtual std::uint64_t structure() noexcept = 0;
  virtual std::size_t number_count() noexcept = 0;
  /// Writes all numbers of the world; failed: memory ran out.
  virtual Status numbers(std::span<double>) noexcept = 0;

 protected:
  ~DeviceWorld() = default;
};

}  // namespace polyform
