#include <cstring>

#include "apps/fmi/instance.hpp"
#include "framework/diagnostics.hpp"

namespace polyform::fmi {

namespace {

constexpr std::uint64_t state_mark = 0x35656D7566796C70;  // "plyfume5", of files of states

template <class T>
void append(std::vector<std::byte>& out, std::span<const T> values) {
  const std::uint64_t count = values.size();
  const auto put = [&out](const void* from, std::size_t size) {
    const auto* const bytes = static_cast<const std::byte*>(from);
    out.insert(out.end(), bytes, bytes + size);
  };
  put(&count, sizeof count);
  put(values.data(), values.size_bytes());
}

[[noreturn]] void refuse_bytes() {
  throw host::Failure(host::Exit::bad_input, "the bytes are no state of an FMU of this version of Polyform",
                      "Give what this FMU has serialized.");
}

template <class T>
std::vector<T> taken(std::span<const std::byte>& from) {
  std::uint64_t count = 0;
  if (from.size() < sizeof count) refuse_bytes();
  std::memcpy(&count, from.data(), sizeof count);
  from = from.subspan(sizeof count);
  if (count > from.size() / sizeof(T)) refuse_bytes();
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), from.data(), count * sizeof(T));
  from = from.subspan(count * sizeof(T));
  return values;
}

}  // namespace

std::vector<std::byte> InstanceState::bytes() const {
  std::vector<std::byte> out;
  append<std::uint64_t>(out, std::span(&state_mark, 1));
  append<double>(out, std::span(&run.time, 1));
  append<double>(out, run.y);
  append<std::int32_t>(out, run.discrete);
  append<std::int32_t>(out, run.modes);
  append<double>(out, run.touching);
  append<double>(out, parameters);
  append<double>(out, starts);
  append<double>(out, inputs);
  append<std::int32_t>(out, signs);
  append<Stage>(out, std::span(&stage, 1));
  return out;
}

InstanceState InstanceState::from(std::span<const std::byte> bytes) {
  if (taken<std::uint64_t>(bytes) != std::vector{state_mark}) refuse_bytes();
  InstanceState state;
  const std::vector<double> time = taken<double>(bytes);
  if (time.size() != 1) refuse_bytes();
  state.run.time = time.front();
  state.run.y = taken<double>(bytes);
  state.run.discrete = taken<std::int32_t>(bytes);
  state.run.modes = taken<std::int32_t>(bytes);
  state.run.touching = taken<double>(bytes);
  state.parameters = taken<double>(bytes);
  state.starts = taken<double>(bytes);
  state.inputs = taken<double>(bytes);
  state.signs = taken<std::int32_t>(bytes);
  const std::vector<Stage> stage = taken<Stage>(bytes);
  if (stage.size() != 1 || stage.front() < Stage::made || stage.front() > Stage::terminated) refuse_bytes();
  state.stage = stage.front();
  return state;
}

}  // namespace polyform::fmi
