#include "apps/fmi/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "apps/fmi/continuous.hpp"
#include "apps/fmi/stepping.hpp"
#include "apps/session/loading.hpp"
#include "apps/text/terminal.hpp"
#include "framework/file_content.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/workbench/linearization/acting.hpp"

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

/// A change of an input that is a large one: of a force, what gives the mass of the system the accelerations that act.
double large_change(const SystemView& view, const host::Acting& acting, std::string_view unit, double value) {
  double mass = 0;
  for (const BodyData& body : view.bodies) mass += body.mass;
  const double force = mass * acting.linear;
  return std::max(std::abs(value), unit.starts_with('N') && force > 0 ? force : 1);
}

bool is_input(Role role) { return role == Role::input || role == Role::input_rate || role == Role::input_acceleration; }

}  // namespace

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
  fixed_ = std::make_unique<FixedValues>(*shown_);
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
  fixed_->clear();
  initialized_ = false;
  stop_.reset();
  tolerance_.reset();
  inputs_.reset(*shown_);
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
  own_ = std::make_unique<FmuModel>(settings_, *catalog_, libraries_, fixed_->given());
  inputs_.start_with(*own_);
}

void Instance::load() {
  load_model();
  if (stepping_ || continuous_) return;
  inputs_.pass_all(own_->inputs(), 0);
  if (settings_.kind == Kind::co_simulation)
    stepping_ = std::make_unique<Stepping>(*own_, stop_, tolerance_);
  else
    continuous_ = std::make_unique<Continuous>(*own_);
}

Motion& Instance::motion() {
  load();
  Motion& motion = stepping_ ? static_cast<Motion&>(*stepping_) : *continuous_;
  if (!inputs_.wait()) return motion;
  inputs_.pass(own_->inputs(), motion.time());
  motion.inputs_changed();
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
    case Role::start: return fixed_value(v, reference);
    case Role::input:
      if (!fixed_->none() && !inputs_.is_set(v.index)) load_model();
      [[fallthrough]];
    case Role::input_rate:
    case Role::input_acceleration: return inputs_.get(v, told_inputs(), told_time());
    case Role::time: return motion().time();
    case Role::output: return motion().row()[v.index];
    case Role::state: return continuous().states()[v.index];
    case Role::rate: return continuous().rates()[v.index];
    case Role::event: return continuous().indicators()[v.index];
  }
  return 0;
}

void Instance::set_value(std::size_t reference, double value) {
  const Variable& v = variable(reference);
  if (!std::isfinite(value))
    throw host::Failure(host::Exit::bad_input, fmt::format("{} is set to {}, which is no number", v.name, value));
  if (v.role == Role::parameter || v.role == Role::start) {
    if (initialized_)
      throw host::Failure(host::Exit::bad_input, fmt::format("{} is set after the initialization", v.name),
                          "Parameters and values at the start are fixed: set them before it.");
    if (fixed_->set(v, value)) forget_motion();
  } else if (is_input(v.role)) {
    if (!inputs_.set(v, value, told_inputs(), told_time()) || initialized_) return;
    stepping_.reset();
    continuous_.reset();
  } else {
    throw host::Failure(host::Exit::bad_input, fmt::format("{} cannot be set", v.name),
                        "Parameters, values at the start and inputs can; states by the function for them.");
  }
}

/// The direction of seeds, with a large change of each input.
Directional::Direction Instance::direction(std::span<const std::size_t> knowns, std::span<const double> seed) {
  Directional::Direction out;
  out.states.assign(continuous().size(), 0.0);
  out.inputs.assign(inputs_.size(), 0.0);
  out.sizes.assign(inputs_.size(), 1.0);
  const SystemView& view = own_->system().view();
  std::optional<host::Acting> acting;
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const Variable& v = variable(knowns[k]);
    if (v.role == Role::state) {
      out.states[v.index] += seed[k];
    } else if (is_input(v.role)) {
      if (!acting)
        acting = host::acting_at(view, motion().time(), host::CanonicalState(own_->system().initial_state()));
      out.inputs[InputValues::place(v)] += seed[k];
      out.sizes[InputValues::place(v)] = large_change(view, *acting, v.unit, value(knowns[k]));
    } else {
      throw host::Failure(host::Exit::bad_input, fmt::format("there are no derivatives with respect to {}", v.name),
                          "Ask for those with respect to states and inputs.");
    }
  }
  return out;
}

void Instance::differentiate(std::span<const std::size_t> unknowns, std::span<const std::size_t> knowns,
                             std::span<const double> seed, std::span<double> out) {
  Continuous& here = continuous();
  const Directional::Direction along = direction(knowns, seed);
  std::ranges::fill(out, 0.0);
  if (!along.moves()) return;
  const std::vector<double> states(here.states().begin(), here.states().end());
  const std::vector<LiveInput>& inputs = own_->inputs();
  std::vector<LiveFunction::Setting> settings;
  for (const LiveInput& input : inputs) settings.push_back(input.function->setting());
  const std::vector<double> numbers = inputs_.at(inputs, here.time());
  const bool moves_inputs = std::ranges::any_of(along.inputs, [](double x) { return x != 0; });
  const auto go = [&](double s) {
    std::vector<double> y(states);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += s * along.states[k];
    for (std::size_t k = 0; moves_inputs && k < inputs.size(); ++k) {
      const auto number = [&](std::size_t i) { return numbers[3 * k + i] + s * along.inputs[3 * k + i]; };
      inputs[k].function->set(here.time(), number(0), number(1), number(2));
    }
    here.set_states(y);
    if (moves_inputs) here.inputs_changed();
  };
  const auto put_back = [&] {
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k].function->put_back(settings[k]);
    here.set_states(states);
    if (moves_inputs) here.inputs_changed();
  };
  try {
    const Directional::Result got = Directional(here, own_->system())
                                        .differentiate(along, unknowns.size(), [&](double s, std::span<double> values) {
                                          go(s);
                                          for (std::size_t i = 0; i < unknowns.size(); ++i)
                                            values[i] = value(unknowns[i]);
                                        });
    std::ranges::copy(got.derivative.value, out.begin());
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      if (!Directional::is_known(got, i))
        apps::print(Severity::warning,
                    fmt::format("t = {:.9g} s: the derivative of {} is {:.6g} with an estimated error of {:.2g}",
                                here.time(), variable(unknowns[i]).name, out[i], got.derivative.error[i]));
  } catch (...) {
    put_back();
    throw;
  }
  put_back();
}

/// What was not set may follow from parameters that were.
double Instance::fixed_value(const Variable& v, std::size_t reference) {
  if (const auto set = fixed_->set_value(v)) return *set;
  if (v.role == Role::parameter || fixed_->none()) return v.start;
  load();
  const std::vector<Variable>& own = own_->variables();
  return reference < own.size() && own[reference].name == v.name ? own[reference].start : v.start;
}

const std::vector<LiveInput>* Instance::told_inputs() const {
  return stepping_ || continuous_ ? &own_->inputs() : nullptr;
}
double Instance::told_time() const { return stepping_ ? stepping_->time() : continuous_ ? continuous_->time() : 0; }

InstanceState Instance::state() {
  InstanceState state;
  motion().save(state);
  state.parameters = fixed_->parameters();
  state.starts = fixed_->starts();
  state.inputs = inputs_.at(own_->inputs(), state.run.time);
  return state;
}

void Instance::set_state(const InstanceState& from) {
  if (from.inputs.size() != inputs_.size())
    throw host::Failure(host::Exit::bad_input, "the state is that of another FMU");
  const bool others = fixed_->set_parameters(from.parameters);
  if (fixed_->set_starts(from.starts) || others) forget_motion();
  load();
  inputs_.take(from.inputs);
  inputs_.pass_all(own_->inputs(), from.run.time);
  motion().restore(from);
}

}  // namespace polyform::fmi
