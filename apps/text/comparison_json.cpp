#include "apps/text/comparison_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "apps/text/comparison_text.hpp"
#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/host/results/csv_writer.hpp"

namespace polyform::apps {

using host::HeatEnd;
using host::Quantity;
using host::Standing;

namespace {

std::string_view status_of(const HeatEnd& end) {
  switch (end.how) {
    case HeatEnd::How::done: return "done";
    case HeatEnd::How::skipped: return "skipped";
    case HeatEnd::How::failed: return "failed";
    case HeatEnd::How::interrupted: break;
  }
  return "interrupted";
}

std::string_view place_kind(Quantity q) {
  switch (q) {
    case Quantity::joint:
    case Quantity::force:
    case Quantity::moment:
    case Quantity::joint_acceleration: return "joint";
    case Quantity::output: return "name";
    default: return "body";
  }
}

void add_departure(Json& out, const std::string& key, std::string_view kind, const host::Departure& d) {
  out[key] = d.value;
  out[key + "_time"] = d.time;
  out[fmt::format("{}_{}", key, kind)] = d.where;
}

Json parting_json(const host::Parting& p) {
  return {{"time", p.time},
          {"quantity", name_of(p.quantity)},
          {std::string(place_kind(p.quantity)), p.where},
          {"deviation", p.deviation},
          {"relative", p.relative}};
}

Json divergence_json(const host::Divergence& d) {
  if (d.at_start) return {{"peer", d.peer}, {"apart", d.apart}, {"cause", name_of(d.cause)}};
  return {{"integration_error", d.integration_error},
          {"peer", d.peer},
          {"peer_integration_error", d.peer_error},
          {"apart", d.apart},
          {"finer_apart", d.finer_apart},
          {"perturbation", d.perturbation},
          {"amplification", d.amplification},
          {"rate", d.rate},
          {"fitted_over", d.duration},
          {"explains", d.explains},
          {"chaotic", d.chaotic},
          {"cause", name_of(d.cause)}};
}

/// The other solvers that share kernels with this one, and these kernels.
Json shares_json(const host::Votes& votes, const std::vector<Standing>& standings, std::size_t index) {
  Json out = Json::object();
  for (const host::SharedKernel& kernel : votes.shared())
    if (std::ranges::count(kernel.solvers, index) > 0)
      for (const std::size_t other : kernel.solvers)
        if (other != index) out[standings[other].solver].push_back(kernel.name);
  return out;
}

/// The groups of solvers that agree where solvers first differ.
Json sides_json(const host::Comparison& comparison) {
  Json out = Json::array();
  for (const host::Side& side : comparison.sides) {
    Json solvers = Json::array();
    for (const std::size_t s : side.runs) solvers.push_back(comparison.standings[s].solver);
    out.push_back({{"solvers", std::move(solvers)}, {"votes", side.votes}});
  }
  return out;
}

Json standing_json(const host::System& system, const host::ConstraintCount& count, const host::Comparison& comparison,
                   std::size_t index) {
  const Standing& s = comparison.standings[index];
  Json out = s.run ? run_json(system, count.degrees_of_freedom, s.solver, *s.run) : Json{{"solver", s.solver}};
  out["status"] = status_of(s);
  if (!s.reason.empty()) out["reason"] = s.reason;
  if (!s.deviation) return out;
  for (const Quantity q : host::quantities)
    if (const auto& d = (*s.deviation)[q])
      add_departure(out, fmt::format("{}_deviation", name_of(q)), place_kind(q), *d);
  if (!count.redundant_joints.empty()) {
    out["reactions_open"] = count.redundant_joints;
    out["unique"] = unique_json(system, count, false);
    out["unique_along"] = unique_along_json(system, count);
  }
  out["vote"] = comparison.votes.of(index).value_or(0) + 1;
  out["votes"] = comparison.votes.count();
  out["shares"] = shares_json(comparison.votes, comparison.standings, index);
  out["compared_until"] = comparison.until;
  if (!comparison.at_events.empty()) out["rows_at_events"] = comparison.at_events;
  out["agrees"] = !s.parting.has_value();
  if (s.parting) out["parting"] = parting_json(*s.parting);
  if (comparison.first && comparison.first->witness == index) out["parting"]["sides"] = sides_json(comparison);
  if (comparison.bounded && comparison.bounded->solver == s.solver) {
    const host::BoundedTwin& twin = *comparison.bounded;
    out["bounded_steps"] = {{"max_step", twin.max_step}, {"apart", twin.apart}, {"resolved", twin.resolved}};
    if (!twin.resolved) out["bounded_steps"]["time"] = twin.time;
  }
  if (comparison.divergence && comparison.first->witness == index)
    out["divergence"] = divergence_json(*comparison.divergence);
  else if (comparison.interrupted && s.parting)
    out["divergence"] = {{"cause", "unknown"}, {"interrupted", true}};
  return out;
}

/// The number of a solver's vote in the reference, from 1; none if it has no vote.
std::optional<std::size_t> vote_of(const host::SweepPoint& p, const host::Sweep& sweep) {
  const auto found = std::ranges::find(sweep.reference_solvers, p.solver);
  if (found == sweep.reference_solvers.end()) return {};
  return *sweep.votes.of(static_cast<std::size_t>(found - sweep.reference_solvers.begin())) + 1;
}

const char* value_name(host::SweepOf what) { return what == host::SweepOf::step ? "step" : "tolerance"; }

Json point_json(host::SweepOf what, const host::SweepPoint& p) {
  Json out = {{value_name(what), p.value}, {"status", status_of(p)}};
  if (!p.reason.empty()) out["reason"] = p.reason;
  if (p.run) {
    out["steps"] = p.run->steps;
    out["rejected_steps"] = p.run->rejected_steps;
    out["evaluations"] = p.run->evaluations;
    out["wall_seconds"] = p.run->wall_seconds;
    out["seconds_per_evaluation"] = p.run->seconds_per_evaluation;
    out["energy_drift"] = p.run->energy_drift;
    out["constraint_violation"] = p.run->constraint_violation;
  }
  if (p.is_reference) out["is_reference"] = true;
  if (p.position) add_departure(out, "position_error", "body", *p.position);
  if (p.angle) add_departure(out, "angle_error", "body", *p.angle);
  return out;
}

}  // namespace

Json comparison_json(const host::System& system, const host::Comparison& comparison) {
  const host::ConstraintCount count = system.count_constraints();
  Json all = Json::object();
  for (std::size_t k = 0; k < comparison.standings.size(); ++k)
    all[comparison.standings[k].solver] = standing_json(system, count, comparison, k);
  return all;
}

Json sweep_json(host::SweepOf what, const host::Sweep& sweep) {
  Json reference = {
      {value_name(what), sweep.reference_value}, {"solvers", sweep.reference_solvers}, {"votes", sweep.votes.count()}};
  if (sweep.apart_position) reference["apart_position"] = sweep.apart_position->value;
  if (sweep.apart_angle) reference["apart_angle"] = sweep.apart_angle->value;
  for (const host::Dropout& dropout : sweep.dropouts)
    reference["missing"][dropout.solver] = status_text(dropout, dropout.solver);
  Json all = Json::object();
  for (const host::SweepPoint& p : sweep.points) {
    Json& solver = all[p.solver];
    solver["solver"] = p.solver;
    if (p.how == HeatEnd::How::skipped) {
      solver["status"] = "skipped";
      solver["reason"] = p.reason;
      continue;
    }
    solver["reference"] = reference;
    if (const auto vote = vote_of(p, sweep)) solver["vote"] = *vote;
    if (p.run) solver["kernels"] = p.run->kernels;
    solver["points"].push_back(point_json(what, p));
  }
  return all;
}

Json sweep_json(Json swept, const Json& compared) {
  for (const auto& [solver, standing] : compared.items()) {
    swept[solver]["solver"] = solver;
    swept[solver]["comparison"] = standing;
  }
  return swept;
}

std::string sweep_csv(host::SweepOf what, const host::Sweep& sweep) {
  constexpr const char* columns[] = {"steps",
                                     "rejected_steps",
                                     "evaluations",
                                     "wall_seconds",
                                     "seconds_per_evaluation",
                                     "position_error",
                                     "position_error_time",
                                     "angle_error",
                                     "angle_error_time",
                                     "energy_drift",
                                     "constraint_violation"};
  std::string text = fmt::format("solver,{},status", value_name(what));
  for (const char* column : columns) text += fmt::format(",{}", column);
  text += ",vote,kernels\n";
  for (const host::SweepPoint& p : sweep.points) {
    if (p.how == HeatEnd::How::skipped) continue;
    const Json point = point_json(what, p);
    text += fmt::format("{},{},{}", p.solver, p.value, status_of(p));
    for (const char* column : columns)
      text += fmt::format(",{}", point.contains(column) ? point[column].dump() : std::string());
    const auto vote = vote_of(p, sweep);
    text += fmt::format(",{},{}\n", vote ? std::to_string(*vote) : std::string(),
                        p.run ? host::quoted_in_csv(host::joined_kernels(p.run->kernels)) : std::string());
  }
  return text;
}

}  // namespace polyform::apps
