#include "framework/workbench/devices/device_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/process/process.hpp"
#include "polyform/solvers/device_worlds.hpp"

namespace polyform::host::inline devices {

namespace {

/// Fewer would leave most of a device idle; of more, the rows of one half come while the other is computed.
constexpr std::size_t least_chunk = 1024;
/// Of the memory that is free: the rest is for the code and its stacks.
constexpr double usable_part = 0.8;

class ReasonSink final : public DeviceSink {
 public:
  void device(const DeviceDescription&) noexcept override {}
  void none(std::string_view reason) noexcept override { text = reason; }
  std::string text;
};

/// Memory of the device, or of the host for it, that is given back.
template <class Handle>
class Held {
 public:
  using Free = void (Device::*)(Handle) noexcept;
  Held() = default;
  Held(Device& device, Handle handle, Free free) : device_(&device), handle_(handle), free_(free) {}
  Held(Held&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), handle_(other.handle_), free_(other.free_) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(free_, other.free_);
    return *this;
  }
  ~Held() {
    if (device_ != nullptr) (device_->*free_)(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Device* device_ = nullptr;
  Handle handle_{};
  Free free_ = nullptr;
};

/// Where the parts of a chunk stand, in numbers: what goes in, and what comes out. Marks are bytes at the end.
struct Layout {
  Layout(const DeviceRequest& request, std::size_t worlds)
      : starts(request.numbers * worlds),
        in(starts + (request.states + request.integrals) * worlds),
        rows(request.times.size() * (request.states + request.integrals) * worlds),
        out(rows + (worlds + 7) / 8) {}
  std::size_t starts, in, rows, out;
};

}  // namespace

/// Worlds on their way: what is in the host, and the same on the device.
struct DeviceRuns::Chunk {
  std::size_t most = 0;  ///< worlds that there is room for
  unsigned queue = 0;
  Held<void*> host_in, host_out;
  Held<DeviceAddress> in, out, times, rooms;
  std::size_t first = 0, worlds = 0;  ///< under way; 0: none
};

std::size_t worlds_per_chunk(std::size_t worlds, std::size_t bytes, std::uint64_t free) {
  const auto fit = static_cast<std::size_t>(usable_part * static_cast<double>(free) /
                                            static_cast<double>(Device::queues * std::max<std::size_t>(1, bytes)));
  const std::size_t even = (worlds + Device::queues - 1) / Device::queues;
  return std::min({fit, worlds, std::max(least_chunk, even)});
}

DeviceRuns::DeviceRuns(const FoundDevice& device, std::string code) : code_(std::move(code)) {
  allow_all_addresses();
  ReasonSink why;
  device_.reset(device.type->open(device.number, why));
  if (!device_) throw Failure(Exit::simulation_failed, fmt::format("{} cannot be opened: {}", device.name, why.text));
}
DeviceRuns::~DeviceRuns() = default;

void DeviceRuns::check(Status status) const {
  if (status != Status::ok) throw Failure(Exit::simulation_failed, std::string(device_->failure()));
}

DeviceFunction DeviceRuns::function_for(std::string_view name) {
  if (name_ == name) return function_;
  check(device_->load(code_, std::string(name).c_str(), function_));
  name_ = name;
  return function_;
}

std::vector<DeviceRuns::Chunk> DeviceRuns::allocate(const DeviceRequest& request) {
  std::uint64_t free = 0, all = 0;
  check(device_->memory(free, all));
  const Layout one(request, 8);
  const std::size_t bytes = (one.in + one.out + 8 * request.room) * sizeof(double) / 8;
  std::size_t most = worlds_per_chunk(request.worlds, bytes, free / std::max<std::size_t>(1, request.sharers));
  const auto held = [&](std::size_t numbers) {
    DeviceAddress address = 0;
    check(device_->allocate(numbers * sizeof(double), address));
    return Held<DeviceAddress>(*device_, address, &Device::free);
  };
  const auto held_here = [&](std::size_t numbers) {
    void* memory = nullptr;
    check(device_->allocate_host(numbers * sizeof(double), memory));
    return Held<void*>(*device_, memory, &Device::free_host);
  };
  // What is free may be in pieces, or taken by others meanwhile.
  for (; most > 0; most /= 2) {
    std::vector<Chunk> chunks;
    try {
      const Layout layout(request, most);
      const std::size_t count = most < request.worlds ? Device::queues : 1;
      for (unsigned queue = 0; queue < count; ++queue) {
        chunks.push_back({most,
                          queue,
                          held_here(layout.in),
                          held_here(layout.out),
                          held(layout.in),
                          held(layout.out),
                          held(request.times.size()),
                          {},
                          0,
                          0});
        if (request.room > 0) chunks.back().rooms = held(request.room * most);
        check(device_->copy_in(chunks.back().times.get(), request.times.data(), request.times.size_bytes(), queue));
        check(device_->wait(queue));
      }
      return chunks;
    } catch (const Failure&) {
      if (device_->trouble() != DeviceTrouble::out_of_memory || most == 1) throw;
    }
  }
  throw Failure(Exit::simulation_failed,
                fmt::format("{} has {:.3g} MB free, and the rows of one case take {:.3g} MB", device_->name(),
                            1e-6 * static_cast<double>(free), 1e-6 * static_cast<double>(bytes)));
}

void DeviceRuns::begin(Chunk& chunk, const DeviceRequest& request, const DeviceWorldInput& input, DeviceAddress tables,
                       std::size_t first, std::size_t count) {
  const Layout layout(request, count);
  auto* const numbers = static_cast<double*>(chunk.host_in.get());
  std::vector<double> of_one(request.numbers), start(request.states + request.integrals);
  for (std::size_t w = 0; w < count; ++w) {
    input.fill(first + w, of_one, start);
    for (std::size_t i = 0; i < of_one.size(); ++i) numbers[i * count + w] = of_one[i];
    for (std::size_t i = 0; i < start.size(); ++i) numbers[layout.starts + i * count + w] = start[i];
  }
  const auto at = [](DeviceAddress address, std::size_t offset) {
    return reinterpret_cast<double*>(address + offset * sizeof(double));
  };
  const DeviceAddress in = chunk.in.get(), out = chunk.out.get();
  const DeviceWorlds worlds{count,
                            request.times.size(),
                            std::min(request.steps.step, request.steps.max_step),
                            request.steps.max_step,
                            request.steps.absolute_tolerance,
                            request.steps.relative_tolerance,
                            at(chunk.times.get(), 0),
                            at(in, 0),
                            at(in, layout.starts),
                            at(out, 0),
                            reinterpret_cast<unsigned char*>(at(out, layout.rows)),
                            at(tables, 0),
                            at(chunk.rooms.get(), 0),
                            request.room};
  check(device_->copy_in(in, numbers, layout.in * sizeof(double), chunk.queue));
  check(device_->launch({.function = function_for(request.function),
                         .threads = count,
                         .arguments = &worlds,
                         .argument_bytes = sizeof worlds},
                        chunk.queue));
  check(device_->copy_out(chunk.host_out.get(), out, layout.out * sizeof(double), chunk.queue));
  chunk.first = first;
  chunk.worlds = count;
}

bool DeviceRuns::end(Chunk& chunk, const DeviceRequest& request, const DeviceWorldInput& input) {
  check(device_->wait(chunk.queue));
  busy_ += device_->seconds(chunk.queue);
  const std::size_t count = std::exchange(chunk.worlds, 0);
  const std::size_t size = request.times.size() * (request.states + request.integrals);
  const auto* const rows = static_cast<const double*>(chunk.host_out.get());
  const auto* const marks = reinterpret_cast<const unsigned char*>(rows + Layout(request, count).rows);
  std::vector<double> of_one(size);
  for (std::size_t w = 0; w < count; ++w) {
    for (std::size_t i = 0; i < size; ++i) of_one[i] = rows[i * count + w];
    if (!input.take(chunk.first + w, marks[w] == 0, of_one)) return false;
  }
  return true;
}

DeviceAddress DeviceRuns::copy_tables(const DeviceRequest& request) {
  DeviceAddress address = 0;
  if (request.tables.empty()) return address;
  check(device_->allocate(request.tables.size_bytes(), address));
  Status status = device_->copy_in(address, request.tables.data(), request.tables.size_bytes(), 0);
  if (status == Status::ok) status = device_->wait(0);
  if (status != Status::ok) {
    // What the release tells must not stand in the place of what went wrong.
    const std::string failure(device_->failure());
    device_->free(address);
    throw Failure(Exit::simulation_failed, failure);
  }
  return address;
}

void DeviceRuns::run(const DeviceRequest& request, const DeviceWorldInput& input) {
  function_for(request.function);
  const Held<DeviceAddress> tables(*device_, copy_tables(request), &Device::free);
  std::vector<Chunk> chunks = allocate(request);
  std::size_t next = 0, turn = 0;
  bool wanted = true;
  const auto more = [&] { return wanted && next < request.worlds; };
  const auto under_way = [&] { return std::ranges::any_of(chunks, [](const Chunk& c) { return c.worlds > 0; }); };
  while (more() || under_way()) {
    // All queues have work before the rows of the oldest chunk are looked at.
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      Chunk& chunk = chunks[(turn + k) % chunks.size()];
      if (chunk.worlds > 0 || !more()) continue;
      const std::size_t count = std::min(chunk.most, request.worlds - next);
      begin(chunk, request, input, tables.get(), next, count);
      next += count;
    }
    Chunk& oldest = chunks[turn++ % chunks.size()];
    if (oldest.worlds > 0) wanted = end(oldest, request, input) && wanted;
  }
}

}  // namespace polyform::host::inline devices
