#include "framework/workbench/comparison/run_text.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline comparison {

namespace {

using Json = nlohmann::json;

/// Calls visit(name, member) for every member but `end`.
template <class Record, class Visit>
void each_member(Record& run, const Visit& visit) {
  visit("failure", run.failure);
  visit("remedy", run.remedy);
  visit("time", run.time);
  visit("rows", run.rows);
  visit("state_size", run.state_size);
  visit("steps", run.steps);
  visit("rejected_steps", run.rejected_steps);
  visit("evaluations", run.evaluations);
  visit("wall_seconds", run.wall_seconds);
  visit("seconds_per_evaluation", run.seconds_per_evaluation);
  visit("energy_drift", run.energy_drift);
  visit("conservative", run.conservative);
  visit("constraint_violation", run.constraint_violation);
  visit("correction_position", run.correction.position_residual);
  visit("correction_velocity", run.correction.velocity_residual);
  visit("correction_iterations", run.correction.iterations);
  visit("longest_step", run.longest_step);
  visit("passing_time", run.passing_time);
  visit("stops", run.stops);
  visit("events", run.events);
  visit("imbalance", run.imbalance);
  visit("imbalance_of", run.imbalance_of);
  visit("choices", run.choices);
  visit("kernels", run.kernels);
  visit("open_contacts", run.open_contacts);
  visit("warnings", run.warnings);
}

}  // namespace

std::string to_text(const RunRecord& run) {
  Json out = {{"end", static_cast<int>(run.end)}};
  each_member(run, [&](const char* name, const auto& value) { out[name] = value; });
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunRecord run_from_text(std::string_view text) {
  try {
    const Json in = Json::parse(text);
    RunRecord run;
    run.end = static_cast<End>(in.at("end").get<int>());
    each_member(run, [&]<class T>(const char* name, T& value) {
      const Json& member = in.at(name);
      if constexpr (std::is_same_v<T, double>)
        value = member.is_null() ? std::numeric_limits<double>::quiet_NaN() : member.get<double>();
      else
        value = member.get<T>();
    });
    return run;
  } catch (const Json::exception& problem) {
    throw Failure(Exit::simulation_failed, std::string("a process sent no record of its run: ") + problem.what());
  }
}

}  // namespace polyform::host::comparison
