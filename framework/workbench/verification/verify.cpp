#include "framework/workbench/verification/verify.hpp"

#include <fmt/format.h>

#include <memory>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline verification {

std::vector<Verification> verify(const System& system, const Reference& reference,
                                 std::span<const Contender> contenders, const RunSettings& settings,
                                 const HeatControl& control) {
  std::vector<std::unique_ptr<ReferenceSink>> sinks;
  std::vector<Heat> heats;
  for (const Contender& contender : contenders) {
    const bool reactions = has(contender.formulation->abilities(), Ability::reactions);
    ReferenceSink* sink = sinks.emplace_back(std::make_unique<ReferenceSink>(system, reference, reactions)).get();
    Heat heat{&contender, settings, 0, {sink}};
    heat.note = [sink] { return to_text(sink->errors()); };
    heats.push_back(std::move(heat));
  }
  std::vector<Verification> results;
  for (HeatEnd& end : run_heats(system, heats, control)) {
    Verification result{std::move(end), std::string(contenders[results.size()].formulation->name()), {}, false};
    if (result.how == HeatEnd::How::done) {
      result.errors = errors_from_text(result.note);
      if (result.errors.rows != reference.times.size())
        throw Failure(Exit::bad_input,
                      fmt::format("only {} of the {} times of the reference {} are rows of the run", result.errors.rows,
                                  reference.times.size(), reference.name),
                      "Choose output_interval and duration in the model so that all are.");
      if (result.errors.largest.empty()) {
        result.how = HeatEnd::How::skipped;
        result.reason = "gives no reactions, and the reference has nothing else";
      } else {
        result.passed = result.errors.ratio <= 1;
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace polyform::host::verification
