#include "framework/workbench/comparison/heat.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/simulation/mode_limits.hpp"
#include "framework/workbench/comparison/run_text.hpp"

namespace polyform::host::inline comparison {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_reports{100};

// The first letter of a message is its kind.
constexpr char at_time = 't', skipped = 's', over = 'r', noted = 'n';

/// A start with all speeds larger by a share.
struct Start {
  Start(const ConstStateView& given, double share)
      : v(given.v.begin(), given.v.end()), etadot(given.etadot.begin(), given.etadot.end()) {
    for (double& x : v) x *= 1 + share;
    for (double& x : etadot) x *= 1 + share;
    state = {.q = given.q, .v = v, .eta = given.eta, .etadot = etadot, .x = given.x, .discrete = given.discrete};
  }
  std::vector<double> v, etadot;
  ConstStateView state;
};

/// Sends the times reached, at most ten times a second.
class Reporter {
 public:
  explicit Reporter(const Messenger& back) : back_(back) {}
  void operator()(double time) {
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + between_reports;
    std::string message(1 + sizeof time, at_time);
    std::memcpy(message.data() + 1, &time, sizeof time);
    back_.send(message);
  }

 private:
  const Messenger& back_;
  Clock::time_point next_ = Clock::now();
};

/// Runs in the process of the heat.
void run(const System& system, const Heat& heat, const HeatControl& control, const Messenger& back) {
  SystemView view = system.view();
  view.gravity = (1 + heat.perturbation) * view.gravity;
  SolverPointer solver;
  try {
    solver = compile(*heat.contender->formulation, view, heat.contender->options);
  } catch (const Failure& refused) {
    if (refused.code() != Exit::bad_input) throw;
    back.send(skipped + refused.message());
    return;
  }
  const std::unique_ptr<RowSink> further = heat.open ? heat.open() : nullptr;
  std::vector<RowSink*> sinks = heat.sinks;
  if (further) sinks.push_back(further.get());
  const Start start(system.initial_state(), heat.perturbation);
  const RunControl run_control{control.interrupted, Reporter(back)};
  ModeLimits limits(view);
  if (!limits.bodies().empty()) sinks.push_back(&limits);
  RunRecord record = simulate(view, start.state, *solver, heat.settings, sinks, run_control);
  for (const ModeLimits::Warning& w : limits.warnings()) {
    std::string_view remedy = w.remedy;
    if (remedy.ends_with('.')) remedy.remove_suffix(1);  // as all warnings of a record
    record.warnings.push_back(fmt::format("{}: {}", w.message, remedy));
  }
  if (heat.note) back.send(noted + heat.note());
  back.send(over + to_text(record));
}

/// Runs in the process that waits for the heats.
void receive(std::string_view message, std::size_t which, const HeatControl& control, HeatEnd& end) {
  const std::string_view text = message.substr(1);
  switch (message.front()) {
    case at_time:
      if (double time = 0; control.progress && text.size() == sizeof time) {
        std::memcpy(&time, text.data(), sizeof time);
        control.progress(which, time);
      }
      return;
    case noted: end.note = text; return;
    case skipped:
      end.how = HeatEnd::How::skipped;
      end.reason = text;
      return;
    default:
      end.run = run_from_text(text);
      end.reason = end.run->failure;
      end.how = end.run->end == End::done     ? HeatEnd::How::done
                : end.run->end == End::failed ? HeatEnd::How::failed
                                              : HeatEnd::How::interrupted;
  }
}

}  // namespace

std::vector<HeatEnd> run_heats(const System& system, std::span<const Heat> heats, const HeatControl& control) {
  std::vector<HeatEnd> ends(heats.size());
  for (HeatEnd& end : ends) end.reason = "interrupted before its start";
  std::vector<ProcessJob> jobs;
  for (std::size_t k = 0; k < heats.size(); ++k)
    jobs.push_back({[&, k](const Messenger& back) { run(system, heats[k], control, back); },
                    [&, k](std::string_view message) { receive(message, k, control, ends[k]); },
                    [&, k](const ProcessEnd& end) {
                      if (end.done()) return;
                      ends[k].reason = describe(end, control.limits);
                      ends[k].run.reset();  // if a run's process has failed later, its numbers are not trusted
                      ends[k].how =
                          end.how == ProcessEnd::How::interrupted ? HeatEnd::How::interrupted : HeatEnd::How::failed;
                    }});
  run_in_processes(jobs, control.limits, control.at_once, control.interrupted);
  return ends;
}

}  // namespace polyform::host::comparison
