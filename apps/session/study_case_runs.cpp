// The runs of a study's cases: on a device, in lanes, one by one.
#include <algorithm>
#include <utility>

#include "apps/session/device_cases.hpp"
#include "apps/session/prepared_case.hpp"
#include "apps/session/study_case.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/simulation/lane_runs.hpp"

namespace polyform::apps {

using host::Failure;

void StudyCases::run(std::span<const std::size_t> numbers, const volatile std::sig_atomic_t* interrupted,
                     const host::CaseReport& report) {
  if (!is_on_device()) return run_in_lanes(numbers, interrupted, report);
  for (std::size_t i = 0; i < numbers.size() && (interrupted == nullptr || *interrupted == 0); i += together_)
    run_on_device(numbers.subspan(i, std::min(together_, numbers.size() - i)), interrupted, report);
}

void StudyCases::run_on_device(std::span<const std::size_t> numbers, const volatile std::sig_atomic_t* interrupted,
                               const host::CaseReport& report) {
  std::vector<std::unique_ptr<PreparedCase>> carried;
  std::vector<DeviceCases::Case> cases;
  std::vector<std::size_t> left;
  std::string failure;
  {
    const HeldMessages messages;
    for (const std::size_t number : numbers) {
      try {
        std::unique_ptr<PreparedCase> one = maker_.prepare(number, shared_);
        const DeviceCases::Case on_device{one->system.get(), one->solver.get(), one->choice.get(), &one->settings,
                                          one->sinks};
        if (device_->carries(on_device)) {
          cases.push_back(on_device);
          carried.push_back(std::move(one));
          continue;
        }
      } catch (const Failure&) {
        // Alone it fails with its reason.
      }
      left.push_back(number);
    }
    failure = device_->run(cases, processes_, interrupted, [&](std::size_t i, const host::RunRecord& record) {
      std::unique_ptr<PreparedCase> one = std::move(carried[i]);
      report(outcome_of(*one, record, interrupted));
      maker_.give_back(std::move(one));
    });
  }
  for (const std::unique_ptr<PreparedCase>& one : carried)
    if (one) left.push_back(one->number);
  carried.clear();
  std::ranges::sort(left);
  const auto add_failure = [&](host::CaseOutcome outcome) {
    if (!failure.empty() && outcome.done && outcome.reason.empty())
      outcome.reason = "warning: done without the device: " + failure;
    report(std::move(outcome));
  };
  run_in_lanes(left, interrupted, host::CaseReport(add_failure, [&] { report.look(); }));
}

void StudyCases::run_in_lanes(std::span<const std::size_t> numbers, const volatile std::sig_atomic_t* interrupted,
                              const host::CaseReport& report) {
  const auto stopped = [&] { return interrupted != nullptr && *interrupted != 0; };
  const auto run_alone = [&](std::size_t number) {
    host::CaseOutcome outcome = run(number, interrupted, report);
    if (!stopped()) report(std::move(outcome));
  };
  if (!lane_model_) {
    for (std::size_t i = 0; i < numbers.size() && !stopped(); ++i) run_alone(numbers[i]);
    return;
  }
  const HeldMessages messages;
  std::vector<std::unique_ptr<PreparedCase>> under_way(lane_model_->batch->lanes());
  host::LaneRuns runs(*lane_model_->batch, lane_model_->system->view(), lane_model_->settings.integrator);
  /// False if the case does not go on in the lane: its outcome was reported.
  const auto begin = [&](std::size_t lane, std::size_t number) {
    std::unique_ptr<PreparedCase>& one = under_way[lane];
    try {
      const HeldMessages its_own;
      one = maker_.prepare(number, shared_);
      if (runs.begin(lane, *one->system, *one->solver, one->settings, one->sinks, {interrupted, {}})) return true;
    } catch (const Failure&) {
      // Alone it fails with its reason.
    }
    one.reset();
    run_alone(number);
    return false;
  };
  std::size_t next = 0, busy = 0;
  while ((next < numbers.size() || busy > 0) && !stopped()) {
    for (std::size_t lane = 0; lane < runs.lanes(); ++lane)
      while (runs.is_free(lane) && next < numbers.size())
        if (begin(lane, numbers[next++])) ++busy;
    runs.step();
    report.look();
    for (std::size_t lane = 0; lane < runs.lanes(); ++lane) {
      const std::optional<host::RunRecord> record = runs.take(lane);
      if (!record) continue;
      std::unique_ptr<PreparedCase> one = std::move(under_way[lane]);
      --busy;
      if (record->end == host::End::failed) {
        run_alone(one->number);
        continue;
      }
      host::CaseOutcome outcome = outcome_of(*one, *record, interrupted);
      maker_.give_back(std::move(one));
      if (!stopped()) report(std::move(outcome));
    }
  }
}

void warn_of_what_is_left_out(const StudyCases& cases) {
  if (!cases.why_not_compiled().empty())
    print(Severity::warning, "the cases go on without --compile: " + cases.why_not_compiled(),
          "They are evaluated " + cases.evaluation() + ".");
  const DeviceCases* const device = cases.device();
  if (device != nullptr && !device->obstacle().empty() && device->is_worth_a_word())
    print(Severity::warning, "the cases go on without a device: " + device->obstacle(),
          "They run as without --device, with the same results; polyform plugins tells which devices there are.");
}

}  // namespace polyform::apps
