#include "apps/fmi/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>

#include "apps/fmi/continuous.hpp"
#include "apps/fmi/stepping.hpp"
#include "apps/session/loading.hpp"
#include "framework/file_content.hpp"
#include "framework/host/registry/process_state.hpp"

namespace polyform::fmi {

namespace fs = std::filesystem;
using Role = Variable::Role;

namespace {

std::string settings_text(const fs::path& file) {
  if (std::optional<std::string> text = host::file_content(file.string())) return std::move(*text);
  throw host::Failure(host::Exit::bad_input, file.string() + " cannot be read",
                      "Give the folder `resources` of the unpacked FMU as its place of resources.");
}

/// The plugins of an FMU, loaded once: objects may outlive any order of destruction.
const host::Registry& plugins_in(const fs::path& folder) {
  static std::mutex& guard = *new std::mutex;
  static auto& all = *new std::map<std::string, std::unique_ptr<host::Registry>>;
  host::RegistryOptions options;
  options.environment.clear();
  options.installation = folder;
  const std::lock_guard lock(guard);
  std::unique_ptr<host::Registry>& loaded = all[folder.string()];
  if (!loaded) {
    const host::ProcessState before;
    loaded = std::make_unique<host::Registry>(options);
  }
  return *loaded;
}

constexpr std::uint64_t state_mark = 0x33656D7566796C70;  // "plyfume3", of files of states

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
  append<double>(out, inputs);
  append<std::int32_t>(out, signs);
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
  state.inputs = taken<double>(bytes);
  state.signs = taken<std::int32_t>(bytes);
  return state;
}

Instance::Instance(const std::string& resources, const std::string& token, Kind kind) : resources_(resources) {
  const fs::path file = fs::path(resources) / "fmu.json";
  settings_ = settings_of(settings_text(file), file.string());
  if (settings_.token != token)
    throw host::Failure(host::Exit::bad_input,
                        fmt::format("the FMU in {} is not that of the model description", resources),
                        "Unpack the FMU into an empty folder.");
  if (settings_.kind != kind)
    throw host::Failure(
        host::Exit::bad_input,
        settings_.kind == Kind::co_simulation ? "this FMU is for co-simulation" : "this FMU is for model exchange",
        "Export one with --kind for the other.");
  settings_.model.file = (fs::path(resources) / settings_.model.file).string();
  if (!settings_.model.state.empty()) settings_.model.state = (fs::path(resources) / settings_.model.state).string();
  const host::Registry& plugins = plugins_in(fs::path(resources) / "plugins");
  apps::warn_of_refused(plugins);
  catalog_ = &plugins.catalog();
  libraries_ = plugins.keep_alive();
  shown_ = std::make_unique<FmuModel>(settings_, *catalog_, libraries_);
  reset();
}
Instance::~Instance() = default;

/// Drops the model's motion; it is made anew when it is needed next.
void Instance::forget_motion() {
  stepping_.reset();
  continuous_.reset();
  own_.reset();
}

void Instance::reset() {
  forget_motion();
  parameters_.clear();
  initialized_ = false;
  stop_.reset();
  tolerance_.reset();
  inputs_.clear();
  for (const LiveInput& input : shown_->inputs()) inputs_.insert(inputs_.end(), {input.function->start(), 0, 0});
  is_set_.assign(shown_->inputs().size(), false);
  inputs_wait_ = false;
}

void Instance::set_up(double start, std::optional<double> stop, std::optional<double> tolerance) {
  if (start != 0)
    throw host::Failure(host::Exit::bad_input, fmt::format("a start at t = {:g} s is asked for", start),
                        "The model begins at t = 0: begin there.");
  if (stop && !(*stop > 0 && std::isfinite(*stop)))
    throw host::Failure(host::Exit::bad_input, fmt::format("the stop time {} is not after the start", *stop));
  if (tolerance && !(*tolerance > 0 && std::isfinite(*tolerance)))
    throw host::Failure(host::Exit::bad_input, fmt::format("the tolerance {} is no positive number", *tolerance));
  stop_ = stop;
  tolerance_ = tolerance;
  stepping_.reset();
}

void Instance::load_model() {
  if (own_) return;
  own_ = std::make_unique<FmuModel>(settings_, *catalog_, libraries_, parameters_);
  for (std::size_t k = 0; k < is_set_.size(); ++k)
    if (!is_set_[k]) inputs_[3 * k] = own_->inputs()[k].function->start();
}

void Instance::load() {
  load_model();
  if (stepping_ || continuous_) return;
  for (std::size_t k = 0; k < own_->inputs().size(); ++k)
    own_->inputs()[k].function->set(0, inputs_[3 * k], inputs_[3 * k + 1], inputs_[3 * k + 2]);
  if (settings_.kind == Kind::co_simulation)
    stepping_ = std::make_unique<Stepping>(*own_, stop_, tolerance_);
  else
    continuous_ = std::make_unique<Continuous>(*own_);
  inputs_wait_ = false;
}

Motion& Instance::motion() {
  load();
  Motion& motion = stepping_ ? static_cast<Motion&>(*stepping_) : *continuous_;
  if (!inputs_wait_) return motion;
  for (std::size_t k = 0; k < own_->inputs().size(); ++k)
    own_->inputs()[k].function->set(motion.time(), inputs_[3 * k], inputs_[3 * k + 1], inputs_[3 * k + 2]);
  motion.inputs_changed();
  inputs_wait_ = false;
  return motion;
}

void Instance::expect(Kind kind) const {
  if (settings_.kind == kind) return;
  throw host::Failure(host::Exit::bad_input,
                      kind == Kind::co_simulation ? "this function is for co-simulation, this FMU for model exchange"
                                                  : "this function is for model exchange, this FMU for co-simulation",
                      "Export one with --kind for the other.");
}
Stepping& Instance::stepping() {
  expect(Kind::co_simulation);
  return static_cast<Stepping&>(motion());
}
Continuous& Instance::continuous() {
  expect(Kind::model_exchange);
  return static_cast<Continuous&>(motion());
}

void Instance::finish_initialization() {
  motion();
  initialized_ = true;
}

const Variable& Instance::variable(std::size_t reference) const {
  if (reference < shown_->variables().size()) return shown_->variables()[reference];
  throw host::Failure(host::Exit::bad_input, fmt::format("there is no variable with the value reference {}", reference),
                      "The model description lists them.");
}

double Instance::value(std::size_t reference) {
  const Variable& v = variable(reference);
  switch (v.role) {
    case Role::parameter:
      return parameters()[v.index];
    case Role::input:
      if (!parameters_.empty() && !is_set_[v.index]) load_model();
      return inputs_[3 * v.index];
    case Role::input_rate:
    case Role::input_acceleration:
      return inputs_[3 * v.index + (static_cast<std::size_t>(v.role) - static_cast<std::size_t>(Role::input))];
    case Role::time:
      return motion().time();
    case Role::output:
      return motion().row()[v.index];
    case Role::state:
      return continuous().states()[v.index];
    case Role::rate:
      return continuous().rates()[v.index];
    case Role::event:
      return continuous().indicators()[v.index];
  }
  return 0;
}

void Instance::set_value(std::size_t reference, double value) {
  const Variable& v = variable(reference);
  if (!std::isfinite(value))
    throw host::Failure(host::Exit::bad_input, fmt::format("{} is set to {}, which is no number", v.name, value));
  if (v.role == Role::parameter) {
    if (initialized_)
      throw host::Failure(host::Exit::bad_input, fmt::format("{} is set after the initialization", v.name),
                          "Parameters are fixed: set them before it.");
    parameters_[v.name.substr(v.name.find('.') + 1)] = value;
    forget_motion();
  } else if (v.role == Role::input || v.role == Role::input_rate || v.role == Role::input_acceleration) {
    double& kept = inputs_[3 * v.index + (static_cast<std::size_t>(v.role) - static_cast<std::size_t>(Role::input))];
    if (v.role == Role::input) is_set_[v.index] = true;
    if (kept == value) return;
    kept = value;
    inputs_wait_ = true;
    if (initialized_) return;
    stepping_.reset();
    continuous_.reset();
  } else {
    throw host::Failure(host::Exit::bad_input, fmt::format("{} cannot be set", v.name),
                        "Parameters and inputs can; states by the function for them.");
  }
}

void Instance::differentiate(std::span<const std::size_t> unknowns, std::span<const std::size_t> knowns,
                             std::span<const double> seed, std::span<double> out) {
  Continuous& here = continuous();
  const std::vector<double> states(here.states().begin(), here.states().end()), inputs = inputs_;
  double size = 1, length = 0;
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const Variable& v = variable(knowns[k]);
    if (v.role != Role::state && v.role != Role::input && v.role != Role::input_rate &&
        v.role != Role::input_acceleration)
      throw host::Failure(host::Exit::bad_input, fmt::format("there are no derivatives with respect to {}", v.name),
                          "Ask for those with respect to states and inputs.");
    size = std::max(size, std::abs(value(knowns[k])));
    length = std::max(length, std::abs(seed[k]));
  }
  std::ranges::fill(out, 0.0);
  if (length == 0) return;
  const double h = 1e-3 * size / length;  // error h⁴ by the fourth order and 1e-16/h by rounding: both near 1e-12
  const auto at = [&](double s) {
    std::vector<double> y(states);
    for (std::size_t k = 0; k < knowns.size(); ++k) {
      const Variable& v = variable(knowns[k]);
      if (v.role == Role::state) {
        y[v.index] += s * seed[k];
      } else {
        const std::size_t place =
            3 * v.index + (static_cast<std::size_t>(v.role) - static_cast<std::size_t>(Role::input));
        inputs_[place] = inputs[place] + s * seed[k];
        inputs_wait_ = true;
      }
    }
    continuous().set_states(y);
  };
  constexpr std::pair<int, double> points[] = {{-2, 1.0 / 12}, {-1, -8.0 / 12}, {1, 8.0 / 12}, {2, -1.0 / 12}};
  const auto put_back = [&] {
    inputs_ = inputs;
    inputs_wait_ = true;
    continuous().set_states(states);
  };
  try {
    for (const auto& [place, weight] : points) {
      at(place * h);
      for (std::size_t i = 0; i < unknowns.size(); ++i) out[i] += weight * value(unknowns[i]) / h;
    }
  } catch (...) {
    put_back();
    throw;
  }
  put_back();
}

std::vector<double> Instance::parameters() const {
  std::vector<double> values;
  for (const Variable& v : shown_->variables()) {
    if (v.role != Role::parameter) continue;
    const auto set = parameters_.find(v.name.substr(v.name.find('.') + 1));
    values.push_back(set == parameters_.end() ? v.start : set->second);
  }
  return values;
}

void Instance::set_parameters(std::span<const double> values) {
  if (std::ranges::equal(values, parameters())) return;
  std::size_t k = 0;
  for (const Variable& v : shown_->variables())
    if (v.role == Role::parameter) parameters_[v.name.substr(v.name.find('.') + 1)] = values[k++];
  forget_motion();
}

InstanceState Instance::state() {
  InstanceState state;
  motion().save(state);
  state.parameters = parameters();
  for (const LiveInput& input : own_->inputs()) {
    const TimeFunction::Value now = input.function->given(state.run.time);
    state.inputs.insert(state.inputs.end(), {now.value, now.rate, now.acceleration});
  }
  return state;
}

void Instance::set_state(const InstanceState& from) {
  if (from.inputs.size() != inputs_.size() || from.parameters.size() != shown_->count(Role::parameter))
    throw host::Failure(host::Exit::bad_input, "the state is that of another FMU");
  set_parameters(from.parameters);
  load();
  inputs_ = from.inputs;
  is_set_.assign(is_set_.size(), true);
  for (std::size_t k = 0; k < own_->inputs().size(); ++k)
    own_->inputs()[k].function->set(from.run.time, inputs_[3 * k], inputs_[3 * k + 1], inputs_[3 * k + 2]);
  inputs_wait_ = false;
  motion().restore(from);
}

}  // namespace polyform::fmi
