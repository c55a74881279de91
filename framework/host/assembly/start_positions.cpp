#include "framework/host/assembly/start_positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/contradictions.hpp"
#include "framework/host/assembly/keeping.hpp"
#include "framework/host/assembly/module_start.hpp"
#include "framework/host/assembly/restraints.hpp"
#include "framework/host/assembly/shown.hpp"
#include "framework/host/expressions/formula.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline assembly {
namespace {

std::string text_of(std::span<const double> values) {
  std::string out;
  for (const double x : values) out += fmt::format("{}{:.6g}", out.empty() ? "" : " ", shown(x));
  return values.size() == 1 ? out : '(' + out + ')';
}

/// The coordinates of a joint with each quaternion's sign such that it is nearest to the other one: a quaternion and
/// its negative are one orientation.
std::vector<double> nearest_to(std::span<const double> other, std::span<const double> q, const JointData& joint) {
  std::vector<double> out(q.begin(), q.end());
  std::size_t first = 0;
  for (const Primitive& p : joint.primitives) {
    const std::size_t count = position_count(p.kind);
    double same = 0;
    for (std::size_t k = first; k < first + count; ++k) same += q[k] * other[k];
    if (p.kind == Primitive::Kind::ball && same < 0)
      for (std::size_t k = first; k < first + count; ++k) out[k] = -q[k];
    first += count;
  }
  return out;
}

}  // namespace

bool StartPositions::find() {
  const std::vector<double> drawn = start_.parts.q;
  const std::vector<double> rates = start_.parts.v, modal_rates = start_.parts.etadot;
  PositionSearch search(start_.view(), start_.centred.origin(), start_.time(), start_.given_q, start_.given_eta,
                        start_.state());
  if (!search.good()) return true;  // reported where forces and modules start
  if (report_no_number(start_.given_q)) return false;
  const bool closed = keep_most(start_.wishes(&Start::Given::position),
                                [&](const std::vector<std::size_t>& kept) { return search.reach(kept); });
  const std::vector<char> settled = closed ? search.settled() : std::vector<char>();
  start_.parts.v = rates;
  start_.parts.etadot = modal_rates;
  if (!closed) {
    report_open_loop(start_.given_q, search.open());
    return false;
  }
  if (const auto& between = search.between_sides())
    start_.diagnostics.report(
        {.severity = Severity::warning,
         .message =
             fmt::format("the start lies between two positions in which {} `{}` is closed, as stretched links do: "
                         "one of them is taken",
                         between->kind, between->name),
         .remedy = "draw the bodies a little to the side that is meant, or give initial positions",
         .file = start_.parts.description.file});
  tell_positions();
  tell_open_positions(drawn, settled);
  warn_of_moved_modes(start_, start_.given_eta, start_.parts.eta, start_.length, "deformation");
  return ModuleStart(start_).fit_positions();
}

/// The difference up to which two values of a coordinate count as the same.
double StartPositions::unsaid_change(const JointData& joint, std::size_t coordinate) const {
  for (const Primitive& p : joint.primitives) {
    if (coordinate < position_count(p.kind))
      return unsaid * (p.kind == Primitive::Kind::translation ? start_.length : 1);
    coordinate -= position_count(p.kind);
  }
  return unsaid;
}

/// Reports joints that could not keep their given positions.
void StartPositions::tell_positions() {
  for (std::size_t i = 0; i < start_.given.size(); ++i) {
    const JointData& joint = start_.view().joints[i];
    const std::span<const double> given = std::span(start_.given_q).subspan(joint.q_offset, joint.nq);
    const std::vector<double> now =
        nearest_to(given, std::span<const double>(start_.parts.q).subspan(joint.q_offset, joint.nq), joint);
    constexpr double rounding_of_given = 1e-12;  // of turns that are counted on from the given ones
    bool changed = false;
    for (std::size_t k = 0; start_.given[i].position && k < joint.nq; ++k)
      changed = changed ||
                std::abs(given[k] - now[k]) > std::max(unsaid_change(joint, k), rounding_of_given * std::abs(given[k]));
    if (!changed) continue;
    const auto [before, after] = told_apart(given, now);
    start_.complain(i, "initial.position",
                    fmt::format("{} not allow the given position of joint `{}`: {} given, {} taken",
                                restraint_of(start_.view(), i), joint.name, before, after),
                    "give initial positions to fewer joints: only so many are free to choose", Severity::warning);
  }
}

/// Reports joints without a given position that leave the drawn one although others could move in their place.
void StartPositions::tell_open_positions(const std::vector<double>& drawn, const std::vector<char>& settled) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < start_.view().bodies.size(); ++i) {
    const JointData& joint = start_.view().joints[i];
    bool open = false, moved = false;
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k) open = open || settled[k] == 0;
    const auto as_drawn = std::span(drawn).subspan(joint.q_offset, joint.nq);
    const std::vector<double> now =
        nearest_to(as_drawn, std::span<const double>(start_.parts.q).subspan(joint.q_offset, joint.nq), joint);
    for (std::size_t k = 0; k < joint.nq; ++k)
      moved = moved || std::abs(now[k] - as_drawn[k]) > unsaid_change(joint, k);
    if (!open || !moved || start_.given[i].position) continue;
    if (++count > most_named) continue;
    names += fmt::format("{}`{}` {}", names.empty() ? "" : ", ", joint.name,
                         text_of(std::span(start_.parts.q).subspan(joint.q_offset, joint.nq)));
  }
  if (count == 0) return;
  if (count > most_named) names += fmt::format(" and {} more", count - most_named);
  start_.diagnostics.report(
      {.severity = Severity::warning,
       .message = fmt::format("{} move the system out of its drawn position and leave open where some joints "
                              "start, for which no initial position is given: {} is taken (the nearest in the "
                              "inertia metric)",
                              restraint(start_.view()), names),
       .remedy = "give them initial positions (initial.position) if they are to start elsewhere",
       .file = start_.parts.description.file});
}

/// The formula that has no value is at fault if there is one, else the type.
void StartPositions::report_no_residual(const Item& item, std::string_view type) {
  const std::string cause = expressions::last_trouble(start_.time());
  if (cause.empty())
    return start_.parts.report_breach(start_.diagnostics, item, type,
                                      "its residual is no finite number at the initial positions");
  start_.parts.report(start_.diagnostics, Severity::error, item, {}, {},
                      fmt::format("a formula has no value at the start: {}", cause), expressions::keep_in_domain);
}

/// Reports a constraint element or module whose residual is not a number as drawn. False if there is none.
bool StartPositions::report_no_number(const std::vector<double>& start) {
  const std::vector<double> still(start_.view().nv), still_modes(start_.view().modes);
  start_.tree.evaluate(start.data(), still.data(), start_.given_eta.data(), still_modes.data());
  ConstraintSet constraints(start_.view(), start_.centred.origin());
  if (!constraints.good()) return false;
  constraints.evaluate(start_.time(), start_.tree.frames(), start, still);
  for (const ConstraintSet::Element& element : constraints.elements()) {
    if (std::ranges::all_of(element.residual, [](double r) { return std::isfinite(r); })) continue;
    const auto item = std::ranges::find(start_.parts.description.constraints, element.name, &ConstraintItem::name);
    report_no_residual(*item, item->type->name());
    return true;
  }
  ModuleSet modules(start_.view(), start_.centred.origin());
  if (!modules.good()) return false;
  modules.evaluate(start_.time(), start_.tree.frames(), start, still, start_.given_x);
  for (const ModuleSet::Module& m : modules.modules()) {
    if (std::ranges::all_of(m.rows.residual, [](double r) { return std::isfinite(r); })) continue;
    const auto item = std::ranges::find(start_.parts.description.modules, m.rows.name, &ModuleItem::name);
    report_no_residual(*item, item->type->name());
    return true;
  }
  return false;
}

void StartPositions::report_open_loop(const std::vector<double>& start, const PositionSearch::Open& open) {
  if (report_contradiction(start_, start)) return;
  const std::string why = fmt::format("{} `{}` stays off by {:.3g} m or rad", open.kind, open.name, open.residual);
  if (start_.view().cut_joints().empty()) {
    start_.diagnostics.report(
        {.message = fmt::format("the constraints cannot be met from the given initial positions: {}", why),
         .remedy = "give initial positions nearer to what the constraints ask for",
         .file = start_.parts.description.file});
    return;
  }
  // The message names the loop that was most open at the given coordinates.
  const std::vector<double> still(start_.view().nv), still_modes(start_.view().modes);
  start_.tree.evaluate(start.data(), still.data(), start_.given_eta.data(), still_modes.data());
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t k = 0; k < start_.view().cut_joints().size(); ++k) {
    const JointData& joint = start_.view().cut_joints()[k];
    JointConstraint c;
    double v[6];
    std::vector<double> q(start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
                          start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq));
    joint_constraint(joint, motion_of(joint.base_frame, start_.tree.frames()),
                     motion_of(joint.moving_frame, start_.tree.frames()), q.data(), v, c);
    for (std::size_t r = 0; r < c.rows; ++r) {
      if (std::abs(c.residual[r]) <= most) continue;
      most = std::abs(c.residual[r]);
      worst = k;
    }
  }
  const Loop& loop = start_.parts.forest.loops[worst];
  std::string names = start_.parts.description.joints[loop.cut_edge].name;
  for (const std::size_t edge : loop.base_path)
    names += fmt::format(", {}", start_.parts.description.joints[edge].name);
  for (const std::size_t edge : loop.moving_path)
    names += fmt::format(", {}", start_.parts.description.joints[edge].name);
  start_.parts.report(
      start_.diagnostics, Severity::error, start_.parts.description.joints[loop.cut_edge], {}, {},
      fmt::format("the loop through the joints {} cannot be closed from the given initial positions: {}", names, why),
      "give initial positions nearer to a closed loop, or fewer of them");
}

}  // namespace polyform::host::inline assembly
