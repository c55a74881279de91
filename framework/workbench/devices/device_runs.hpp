// Runs of many worlds on a device: planned by its memory, chunk by chunk.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workbench/devices/device_search.hpp"
#include "polyform/contract/integrator.hpp"

namespace polyform::host::inline devices {

/// What the worlds of one call have in common.
struct DeviceRequest {
  std::string_view function;  ///< of the code
  StepSettings steps;
  std::span<const double> times;        ///< row_times()
  std::size_t worlds, states, numbers;  ///< how many, and numbers of each: of a state, and DeviceWorld::number_count()
  std::size_t integrals = 0;            ///< numbers that rows have after the state: the work of what acts
  std::size_t sharers = 1;              ///< processes that use the device at a time
  std::span<const std::byte> tables{};  ///< of the model, for general code (DeviceProgram)
  std::size_t room = 0;                 ///< DeviceProgram::room()
};
struct DeviceWorldInput {
  /// Fills in the numbers of a world, and its start as begin_world() does.
  std::function<void(std::size_t world, std::span<double> numbers, std::span<double> start)> fill;
  /// Called as the rows of a world are there, in the order of worlds. plain: whether the device could do it; rows: the
  /// states at all times, one after the other. False: the rest is not wanted.
  std::function<bool(std::size_t world, bool plain, std::span<const double> rows)> take;
};

/// How many worlds go together. bytes: of one world on the device; free: bytes of the device for them all. While some
/// are computed, the rows of others come back: there are as many chunks under way as a device has queues.
std::size_t worlds_per_chunk(std::size_t worlds, std::size_t bytes, std::uint64_t free);

/// A device that was opened for the code of a model. To be used in the process that opened it.
class DeviceRuns {
 public:
  /// Opens the device and loads the functions as they are asked for. Failure (simulation_failed),
  /// with the reason.
  DeviceRuns(const FoundDevice&, std::string code);
  ~DeviceRuns();

  /// Runs the worlds. Failure (simulation_failed) where the device fails, is lost, or has not the memory for a single
  /// world; what was taken before stands.
  void run(const DeviceRequest&, const DeviceWorldInput&);
  /// How long the device was busy with it, s.
  double busy_seconds() const { return busy_; }

 private:
  struct Close {
    void operator()(Device* device) const noexcept { device->destroy(); }
  };
  struct Chunk;

  DeviceFunction function_for(std::string_view name);
  std::vector<Chunk> allocate(const DeviceRequest&);
  /// 0 where there are none.
  DeviceAddress copy_tables(const DeviceRequest&);
  /// tables: on the device.
  void begin(Chunk&, const DeviceRequest&, const DeviceWorldInput&, DeviceAddress tables, std::size_t first,
             std::size_t count);
  bool end(Chunk&, const DeviceRequest&, const DeviceWorldInput&);
  void check(Status) const;

  std::unique_ptr<Device, Close> device_;
  std::string code_;
  std::string name_;  ///< of the function that is loaded
  DeviceFunction function_ = 0;
  double busy_ = 0;
};

}  // namespace polyform::host::inline devices
