// General code for devices: an interface of Solver, by query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// Solver::query(DeviceProgram::interface_name) of a solver that is a DeviceWorld besides and brings code for devices
/// that runs any such world, by tables of its model. Worlds of equal structure (DeviceWorld::structure) have equal
/// tables.
class DeviceProgram {
 public:
  static constexpr std::string_view interface_name = "polyform.device_program.1";

  /// Code of a form (DeviceType::code); empty where it was not made in the build.
  virtual std::string_view code(std::string_view form) noexcept = 0;
  /// The function of the code that runs the world by an integrator; empty where there is none.
  virtual std::string_view function(std::string_view integrator) noexcept = 0;
  /// Numbers (doubles) of the device's memory that the launch gives that function for each world, beside what goes in
  /// and comes out.
  virtual std::size_t room(std::string_view integrator) noexcept = 0;
  /// Bytes of the tables, and the tables; failed: memory ran out.
  virtual std::size_t table_size() noexcept = 0;
  virtual Status tables(std::span<std::byte>) noexcept = 0;

 protected:
  ~DeviceProgram() = default;
};

}  // namespace polyform
