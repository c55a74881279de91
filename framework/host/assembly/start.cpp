#include "framework/host/assembly/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/inertia_metric.hpp"
#include "framework/host/assembly/keeping.hpp"
#include "framework/host/reading/unit_quaternion.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline assembly {

Start::Start(System::Parts& all, Diagnostics& sink)
    : parts(all),
      diagnostics(sink),
      centred(all.view),
      tree(view()),
      length(InertiaMetric(view()).length()),
      given(all.joints.size()) {}

void Start::read() {
  parts.q.resize(view().nq);
  parts.v.assign(view().nv, 0.0);
  for (const JointData& joint : view().joints) joint_neutral(joint, parts.q.data() + joint.q_offset);
  set_clocks(view(), time(), parts.q);
  given_q = parts.q;
  given_v = parts.v;
  for (std::size_t i = 0; i < view().joints.size(); ++i) {
    if (is_added(i)) {
      read_free_body(i);
      continue;
    }
    read_joint(i, item(i).initial_position, view().joints[i].q_offset, own_positions(view().joints[i]), "position",
               given_q, given[i].position);
    read_joint(i, item(i).initial_velocity, view().joints[i].v_offset, view().joints[i].nv, "velocity", given_v,
               given[i].velocity);
    if (!given[i].position) continue;
    const double off = joint_normalize(view().joints[i], given_q.data() + view().joints[i].q_offset);
    if (off > unit_quaternion)
      complain(i, "initial.position", fmt::format("the quaternion's length differs from 1 by {:.3g}", off),
               "give a unit quaternion w x y z");
    moved = true;
  }
  moved = moved || !RheonomicJoints(view()).empty();  // functions of time need not begin as drawn
  read_modes();
}

/// The coordinates of the joint that was added for a body: its displacement and its turn from the drawn pose.
void Start::read_free_body(std::size_t body) {
  const std::optional<BodyStart>& start = body_item(body).start;
  if (!start) return;
  const JointData& joint = view().joints[body];
  const Pose& drawn = body_item(body).pose;
  const Vec3 moved_by = start->pose.position - drawn.position;
  const Quat turn = normalized(start->pose.orientation * conjugate(drawn.orientation));
  const double q[] = {moved_by.x, moved_by.y, moved_by.z, turn.w, turn.x, turn.y, turn.z};
  std::ranges::copy(q, given_q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset));
  moved = true;
  if (!start->velocity) return;
  const auto& [angular, linear] = *start->velocity;
  const double v[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  std::ranges::copy(v, given_v.begin() + static_cast<std::ptrdiff_t>(joint.v_offset));
  given[body].velocity = true;
}

void Start::read_modes() {
  given_eta.assign(view().modes, 0.0);
  given_etadot = given_eta;
  for (const FlexibleData& f : view().flexible)
    f.type->initial_state(*f.instance, {given_eta.data() + f.mode_offset, f.modes},
                          {given_etadot.data() + f.mode_offset, f.modes});
  take_modes_of_row();
  parts.eta.assign(view().modes, 0.0);
  parts.etadot = given_etadot;
  moved = moved || std::any_of(given_eta.begin(), given_eta.end(), [](double x) { return x != 0; });
}

/// Modes of the row of results that the model starts from.
void Start::take_modes_of_row() {
  const auto& row = parts.description.start_row;
  if (row.empty()) return;
  const auto take = [&](std::string_view body, const char* name, std::size_t k, double& value) {
    if (const auto found = row.find(fmt::format("{}.{}[{}]", body, name, k)); found != row.end()) value = found->second;
  };
  for (const FlexibleData& f : view().flexible)
    for (std::size_t k = 0; k < f.modes; ++k) {
      const std::string_view body = view().bodies[at(f.body)].name;
      take(body, "eta", k, given_eta[f.mode_offset + k]);
      take(body, "etadot", k, given_etadot[f.mode_offset + k]);
    }
}

void Start::read_joint(std::size_t joint, const std::vector<double>& values, std::size_t offset, std::size_t count,
                       std::string_view what, std::vector<double>& into, bool& locked) {
  if (values.empty()) return;
  if (values.size() != count) {
    complain(joint, fmt::format("initial.{}", what),
             fmt::format("{} value{} given, but joint `{}` has {} {} coordinate{}", values.size(),
                         values.size() == 1 ? "" : "s", view().joints[joint].name, count, what, count == 1 ? "" : "s"),
             "see the joint's coordinates in the schema (polyform schema)");
    return;
  }
  std::copy(values.begin(), values.end(), into.begin() + static_cast<std::ptrdiff_t>(offset));
  locked = count > 0;
}

void Start::complain(std::size_t joint, std::string_view path, const std::string& message, std::string_view remedy,
                     Severity severity) {
  if (is_added(joint))
    parts.report(diagnostics, severity, body_item(joint), {}, {}, message, remedy);
  else
    parts.report(diagnostics, severity, item(joint), item(joint).initial_place, path, message, remedy);
}

std::vector<std::size_t> Start::wishes(bool Given::*what) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].*what) out.push_back(i);
  std::ranges::sort(out, {}, [&](std::size_t i) { return parts.user_joint[i]; });
  if (view().modes > 0) out.insert(out.begin(), Keeping::modes);
  return out;
}

double Start::speed_of(const Spatial& V) const { return std::max(length * norm(V.angular), norm(V.linear)); }

}  // namespace polyform::host::inline assembly
