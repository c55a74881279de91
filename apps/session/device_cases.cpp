#include "apps/session/device_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/simulation/run_tolerances.hpp"
#include "framework/host/watches/element_events.hpp"
#include "framework/workbench/devices/followed_run.hpp"
#include "polyform/contract/device_program.hpp"
#include "polyform/contract/device_world.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

/// Of a larger model the general code is taken: clang would unroll its own for minutes.
constexpr std::size_t most_states_of_own_code = 160;

std::vector<double> numbers_of(DeviceWorld& world) {
  std::vector<double> numbers(world.number_count());
  if (world.numbers(numbers) != Status::ok) numbers.clear();
  return numbers;
}

StepSettings steps_of(const DeviceCases::Case& one) {
  return host::RunTolerances(one.system->view(), one.system->initial_state(), *one.solver, *one.settings)
      .step_settings();
}

/// Whether two cases can be in one launch.
bool are_alike(const DeviceCases::Case& a, const DeviceCases::Case& b) {
  const StepSettings x = steps_of(a), y = steps_of(b);
  return a.settings->integrator.type == b.settings->integrator.type && a.settings->duration == b.settings->duration &&
         a.settings->output_interval == b.settings->output_interval && x.step == y.step && x.max_step == y.max_step &&
         x.relative_tolerance == y.relative_tolerance && x.absolute_tolerance == y.absolute_tolerance &&
         a.solver->state_size() == b.solver->state_size();
}

}  // namespace

DeviceCases::DeviceCases(const host::Catalog& catalog, const std::string& wanted)
    : any_(wanted == host::any_device),
      found_(host::look_for_devices(catalog)),
      device_(host::choose_device(found_, wanted, obstacle_)) {}

void DeviceCases::compile(const std::string& model, std::span<const CompiledCases::Variant> variants,
                          const host::RunSettings& settings) {
  if (!obstacle_.empty()) return;
  const CompiledCases::Variant& first = variants.front();
  auto* const world = ask<DeviceWorld>(*first.solver);
  if (world == nullptr)
    obstacle_ = fmt::format("{} does not run on devices", first.choice->formulation->name());
  else if (!world->obstacle().empty())
    obstacle_ = fmt::format("the model does not run on a device: {}", world->obstacle());
  if (!obstacle_.empty()) return;
  from_ = first.choice->formulation;
  options_ = first.choice->options;
  structure_ = world->structure();
  const std::string integrator(settings.integrator.name());
  if (first.solver->state_size() > most_states_of_own_code &&
      take_general(*first.solver, integrator,
                   fmt::format("its state has more than {} numbers, of which clang would make code for minutes",
                               most_states_of_own_code)))
    return;
  try {
    if (device_->type->code() != host::device_code_form)
      throw Failure(Exit::simulation_failed, fmt::format("{} takes code of the form {}, which is not made here",
                                                         device_->name, device_->type->code()));
    numbers_ = numbers_of(*world);
    for (const CompiledCases::Variant& variant : variants.subspan(1)) {
      auto* const other = ask<DeviceWorld>(*variant.solver);
      const std::vector<double> numbers = other != nullptr ? numbers_of(*other) : std::vector<double>();
      for (std::size_t i = 0; i < numbers_.size() && numbers.size() == numbers_.size(); ++i)
        if (!(numbers_[i] == numbers[i])) numbers_[i] = std::numeric_limits<double>::quiet_NaN();
    }
    code_ = host::compile_device_code(host::compiled_name(model), source_of_cases(model, variants), POLYFORM_VERSION);
    if (!code_.has(integrator)) obstacle_ = fmt::format("{} does not run on devices", integrator);
  } catch (const Failure& why) {
    if (!take_general(*first.solver, integrator, why.message())) obstacle_ = why.message();
  }
}

void DeviceCases::refuse_without_lanes(Solver& solver, const std::string& why_no_lanes) {
  auto* const world = ask<DeviceWorld>(solver);
  obstacle_ = world != nullptr && !world->obstacle().empty()
                  ? fmt::format("the model does not run on a device: {}", world->obstacle())
                  : "the cases do not run in lanes: " + why_no_lanes;
}

/// What steps of joint coordinates leave nothing to correct of: no loop, and no quaternion.
void DeviceCases::refuse_columns(const SystemView& view, std::span<const host::Channel> channels) {
  if (view.cut_joints().empty() && view.constraints.empty() && view.nq == view.nv) return;
  for (const host::Channel& channel : channels)
    if (std::string_view(channel.name).starts_with("correction."))
      obstacle_ =
          fmt::format("a device returns no {}: its steps correct the state and do not tell by how much", channel.name);
}

void DeviceCases::note_events(const SystemView& view, Solver& solver) {
  const host::ElementEvents events(view, solver);
  std::string names;
  std::size_t count = 0;
  for (std::size_t k = 0; k < events.size(); ++k)
    if (events.is_event(k) && count++ < 3) names += (names.empty() ? "" : ", ") + events.name_of(k);
  if (count == 0) return;
  if (count > 3) names += fmt::format(" and {} more", count - 3);
  events_ = fmt::format("cases in which one of these events may come near are done again in lanes: {}", names);
}

bool DeviceCases::take_general(Solver& solver, const std::string& integrator, std::string why) {
  auto* const program = ask<DeviceProgram>(solver);
  if (program == nullptr || general_run(solver, integrator).function.empty()) return false;
  tables_.resize(program->table_size());
  if (tables_.empty() || program->tables(tables_) != Status::ok) return false;
  code_ = {};
  code_.text = program->code(device_->type->code());
  numbers_.assign(ask<DeviceWorld>(solver)->number_count(), std::numeric_limits<double>::quiet_NaN());
  if (!code_.text.empty()) why_general_ = std::move(why);
  return is_general();
}

bool DeviceCases::has_function(const Case& one) const {
  const std::string_view integrator = one.settings->integrator.name();
  return is_general() ? !general_run(*one.solver, integrator).function.empty() : code_.has(integrator);
}

const DeviceCases::GeneralRun& DeviceCases::general_run(Solver& solver, std::string_view integrator) const {
  const auto found = general_runs_.find(integrator);
  if (found != general_runs_.end()) return found->second;
  GeneralRun run;
  if (auto* const program = ask<DeviceProgram>(solver))
    run = {std::string(program->function(integrator)), program->room(integrator)};
  return general_runs_.emplace(integrator, std::move(run)).first->second;
}

bool DeviceCases::carries(const Case& one) const {
  if (one.choice->formulation != from_ || !has_options(*one.choice, options_)) return false;
  auto* const world = ask<DeviceWorld>(*one.solver);
  if (world == nullptr || !world->obstacle().empty()) return false;
  // Which rows of loops are left out depends on the state; what cannot be encoded fails as without a device.
  std::vector<double> start(one.solver->state_size());
  if (host::encode_at(one.system->start_time(), *one.solver, one.system->initial_state(), start) != Status::ok)
    return false;
  if (world->structure() != structure_ || !has_function(one)) return false;
  const std::vector<double> numbers = numbers_of(*world);
  if (numbers.size() != numbers_.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isnan(numbers_[i]) && !(numbers[i] == numbers_[i])) return false;
  return true;
}

std::string DeviceCases::run(std::span<const Case> cases, std::size_t sharers,
                             const volatile std::sig_atomic_t* interrupted,
                             const std::function<void(std::size_t, const host::RunRecord&)>& done) {
  try {
    if (!lost_.empty()) return lost_;
    if (!runs_) runs_ = std::make_unique<host::DeviceRuns>(*device_, code_.text);
    std::vector<std::size_t> left(cases.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    while (!left.empty() && (interrupted == nullptr || *interrupted == 0)) {
      const Case& first = cases[left.front()];
      const auto others =
          std::stable_partition(left.begin(), left.end(), [&](std::size_t i) { return are_alike(first, cases[i]); });
      run_alike(cases, {left.begin(), others}, sharers, interrupted, done);
      left.erase(left.begin(), others);
    }
  } catch (const Failure& failure) {
    lost_ = failure.message();
    runs_.reset();
  }
  return lost_;
}

void DeviceCases::run_alike(std::span<const Case> cases, std::span<const std::size_t> which, std::size_t sharers,
                            const volatile std::sig_atomic_t* interrupted,
                            const std::function<void(std::size_t, const host::RunRecord&)>& done) {
  const Case& first = cases[which.front()];
  const std::vector<double> times = host::row_times(*first.settings);
  const std::string_view integrator = first.settings->integrator.name();
  const GeneralRun code =
      is_general() ? general_run(*first.solver, integrator) : GeneralRun{fmt::format("polyform_{}", integrator), 0};
  const host::DeviceRequest request{code.function,
                                    steps_of(first),
                                    times,
                                    which.size(),
                                    first.solver->state_size(),
                                    numbers_.size(),
                                    host::integrals_of(*first.system),
                                    sharers,
                                    tables_,
                                    code.room};
  const auto fill = [&](std::size_t world, std::span<double> numbers, std::span<double> start) {
    const Case& one = cases[which[world]];
    ask<DeviceWorld>(*one.solver)->numbers(numbers);
    host::begin_world(*one.system, *one.solver, start);
  };
  const auto take = [&](std::size_t world, bool plain, std::span<const double> rows) {
    if (interrupted != nullptr && *interrupted != 0) return false;
    if (!plain) return true;  // it is done again without the device, by which it may fail with its reason
    const Case& one = cases[which[world]];
    if (host::doubts_steps(*one.system, *one.solver, *one.settings, times, rows)) return true;  // by the same rule
    const host::RunRecord record = host::follow(*one.system, *one.solver, *one.settings, one.sinks, times, rows);
    if (record.end == host::End::done) done(which[world], record);
    return true;
  };
  runs_->run(request, {fill, take});
}

}  // namespace polyform::apps
