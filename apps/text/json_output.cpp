#include "apps/text/json_output.hpp"

#include <fmt/format.h>

#include "apps/text/element_values.hpp"
#include "apps/text/terminal.hpp"

namespace polyform::apps {

namespace {

Json list(const Vec3& v) { return {v.x, v.y, v.z}; }
Json list(std::span<const double> values) {
  Json out = Json::array();
  for (const double v : values) out.push_back(v);
  return out;
}

/// Appends a member whose name is known to be new; looking for it among many thousand bodies would take quadratic time.
void append(Json& object, std::string_view name, Json value) {
  object.get_ref<Json::object_t&>().Container::emplace_back(std::string(name), std::move(value));
}

/// A time of what never was is null.
Json contacts_json(std::span<const host::ContactTold> contacts) {
  Json out = Json::object();
  for (const host::ContactTold& c : contacts)
    append(out, c.name,
           {{"impacts", c.impacts},
            {"lost_in_impacts", c.lost},
            {"last_impact", c.last_impact},
            {"chattering_ended", c.chattering_ended},
            {"closed", c.closed},
            {"stuck", c.stuck},
            {"times_stuck", c.times_stuck},
            {"stuck_from", c.stuck_from},
            {"stuck_until", c.stuck_until}});
  return out;
}

}  // namespace

Json run_json(const host::System& system, std::size_t degrees_of_freedom, std::string_view solver,
              const host::RunRecord& run) {
  Json out = {{"solver", solver},
              {"model", system.description().name},
              {"bodies", system.bodies().size()},
              {"degrees_of_freedom", degrees_of_freedom},
              {"state_size", run.state_size},
              {"steps", run.steps},
              {"rejected_steps", run.rejected_steps},
              {"evaluations", run.evaluations},
              {"wall_seconds", run.wall_seconds},
              {"seconds_per_evaluation", run.seconds_per_evaluation},
              {"energy_drift", run.energy_drift},
              {"conservative", run.conservative},
              {"constraint_violation", run.constraint_violation},
              {"correction_position", run.correction.position_residual},
              {"correction_velocity", run.correction.velocity_residual},
              {"correction_iterations", run.correction.iterations},
              {"longest_step", run.longest_step},
              {"stops", run.stops},
              {"events", run.events},
              {"kernels", run.kernels},
              {"contacts_open", run.open_contacts},
              {"notes", run.notes},
              {"contacts", contacts_json(run.contacts)},
              {"warnings", run.warnings},
              {"imbalance", run.imbalance},
              {"time", run.time},
              {"rows", run.rows},
              {"status", host::name_of(run.end)}};
  if (!run.ended_by.empty()) out["ended_by"] = run.ended_by;
  if (!run.imbalance_of.empty()) out["imbalance_of"] = run.imbalance_of;
  if (!run.choices.empty()) out["choices"] = run.choices;
  if (!run.warnings.empty()) out["warnings"] = run.warnings;
  if (!run.failure.empty()) out["failure"] = run.failure;
  return out;
}

namespace {

Json unique_json(const host::OpenDirections& open) {
  const std::array<bool, 6> unique = open.unique();
  return {{"force", {unique[3], unique[4], unique[5]}}, {"moment", {unique[0], unique[1], unique[2]}}};
}

Json unique_along_json(const host::OpenDirections& open) {
  const host::UniqueDirections along = open.along();
  Json force = Json::array(), moment = Json::array(), combined = Json::array();
  for (const Vec3& v : along.force) force.push_back(list(v));
  for (const Vec3& v : along.moment) moment.push_back(list(v));
  for (const Spatial& s : along.combined) combined.push_back({{"force", list(s.linear)}, {"moment", list(s.angular)}});
  return {{"force", std::move(force)}, {"moment", std::move(moment)}, {"combined", std::move(combined)}};
}

}  // namespace

Json unique_along_json(const host::System& system, const host::ConstraintCount& count) {
  Json out = Json::object();
  for (const host::OpenDirections& open : count.open)
    append(out, system.view().joints[at(open.joint())].name, unique_along_json(open));
  return out;
}

Json unique_json(const host::System& system, const host::ConstraintCount& count, bool all) {
  Json out = Json::object();
  auto open = count.open.begin();  // in the order of the joints
  for (const JointIndex j : system.joints()) {
    const bool partly = open != count.open.end() && open->joint() == j;
    if (partly || all)
      append(out, system.view().joints[at(j)].name, unique_json(partly ? *open : host::OpenDirections()));
    if (partly) ++open;
  }
  return out;
}

Json evaluation_json(const host::System& system, std::string_view solver, const Observation& now,
                     const host::ConstraintCount& count, const host::Evaluation& balance) {
  auto open = count.open.begin();  // in the order of the joints
  const SystemView& view = system.view();
  Json bodies = Json::object(), joints = Json::object();
  for (const BodyIndex b : system.bodies()) {
    const BodyData& data = view.bodies[at(b)];
    Json body = {{"linear", list(now.bodies[at(b)].acceleration)},
                 {"angular", list(now.bodies[at(b)].angular_acceleration)}};
    if (data.flexible != rigid) {
      const FlexibleData& flexible = view.flexible[data.flexible];
      body["modal"] = list(now.modal_acceleration.subspan(flexible.mode_offset, flexible.modes));
    }
    if (!balance.bodies.empty()) body["imbalance"] = balance.bodies[at(b)];
    append(bodies, data.name, std::move(body));
  }
  for (const JointIndex j : system.joints()) {
    const JointData& data = view.joints[at(j)];
    const Spatial& reaction = now.reactions[at(j)];
    const bool partly = open != count.open.end() && open->joint() == j;
    Json joint = {{"unique", unique_json(partly ? *open : host::OpenDirections())},
                  {"acceleration", list(now.acceleration.subspan(data.v_offset, data.nv))},
                  {"force", list(reaction.linear)},
                  {"moment", list(reaction.angular)}};
    if (partly) joint["unique_along"] = unique_along_json(*open++);
    append(joints, data.name, std::move(joint));
  }
  Json out = {{"solver", solver}, {"bodies", std::move(bodies)}, {"joints", std::move(joints)}};
  if (!balance.bodies.empty() || !balance.of.empty()) out["imbalance"] = balance.largest;
  if (!balance.of.empty()) out["imbalance_of"] = balance.of;
  out["joints_parted"] = balance.parted;
  std::vector<std::string> warnings = balance.warnings;
  if (!balance.warning.empty()) warnings.push_back(balance.warning);
  if (!warnings.empty()) out["warnings"] = warnings;
  if (!balance.open_contacts.empty()) out["contacts_open"] = balance.open_contacts;
  // Under "forces", "constraints" and "modules", those that tell anything.
  const std::vector<ElementValues> elements = element_values(view, system.start_time(), now);
  for (const std::string_view kind : {"force", "constraint", "module"}) {
    Json all = Json::object();
    for (const ElementValues& e : elements) {
      if (e.kind != kind) continue;
      const auto values_of = [](const auto& values) {
        Json named = Json::object();
        for (const auto& [of, value] : values) append(named, of.name, value);
        return named;
      };
      Json one = Json::object();
      if (kind != "constraint") one["rates"] = values_of(e.rates);
      if (kind == "module" || !e.multipliers.empty()) {
        Json multipliers = Json::object(), unique = Json::object();
        for (const ElementValues::Multiplier& m : e.multipliers) {
          append(multipliers, m.name, m.value);
          append(unique, m.name, !is_open(e, m, count));
        }
        one["multipliers"] = std::move(multipliers);
        one["unique"] = std::move(unique);
      }
      if (!e.held.empty()) one["states"] = values_of(e.held);
      if (!e.outputs.empty()) one["outputs"] = values_of(e.outputs);
      append(all, e.name, std::move(one));
    }
    if (!all.empty()) out[fmt::format("{}s", kind)] = std::move(all);
  }
  return out;
}

namespace {

std::string on_one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void print_json(const Json& json) { fmt::print(output(), "{}\n", on_one_line(json)); }

// What cannot be printed shows in output_is_taken() and at the end of the program.
PrintedObject::PrintedObject() { std::fputs("{", output()); }

PrintedObject::~PrintedObject() { std::fputs("}\n", output()); }

void PrintedObject::add(std::string_view name, const Json& value) {
  const std::string text = (empty_ ? "" : ",") + on_one_line(Json(name)) + ':' + on_one_line(value);
  std::fputs(text.c_str(), output());
  empty_ = false;
}

}  // namespace polyform::apps
