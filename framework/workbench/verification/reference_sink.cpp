#include "framework/workbench/verification/reference_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <unordered_map>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline verification {

namespace {

using Json = nlohmann::json;

constexpr double same_time = 1e-9;  // relative to the time, s
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

[[noreturn]] void refuse(const Reference& reference, Place place, const std::string& name) {
  throw Failure(Exit::bad_input,
                fmt::format("{}:{}:{}: the reference names {}, which its model has not", reference.file, place.line,
                            place.column, name),
                "polyform run MODEL writes a table with all names, with --columns reactions those of reactions too.");
}

[[noreturn]] void refuse_size(const Reference& reference, const KnownNumbers& known, const std::string& name,
                              std::size_t size) {
  throw Failure(Exit::bad_input,
                fmt::format("{}:{}:{}: the reference gives {} numbers for {}, where its model has {}", reference.file,
                            known.place.line, known.place.column, known.values.size(), name, size),
                fmt::format("Give {}.", size));
}

/// The largest difference between the expected list and the one that was found.
double difference(const std::vector<double>& expected, std::span<const double> found) {
  double largest = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double error = std::abs(expected[k] - found[k]);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

}  // namespace

ReferenceSink::ReferenceSink(const System& system, const Reference& reference, bool reactions)
    : system_(system), reference_(reference), rows_(system, Columns{.reactions = true}) {
  std::unordered_map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < rows_.channels().size(); ++i) column[rows_.channels()[i].name] = i;
  for (const ReferenceChannel& channel : reference.channels) {
    const auto found = column.find(channel.name);
    if (found == column.end()) refuse(reference, channel.place, channel.name);
    const std::string group = group_of(channel.name);
    if (!reactions && (group == "force" || group == "moment")) continue;
    compared_.push_back(&channel);
    columns_.push_back(found->second);
    groups_.push_back(group);
    // A joint's coordinates without unit are the quaternion of a ball.
    const bool attitude = group == "orientation" || (group == "joint" && rows_.channels()[found->second].unit == "1");
    attitudes_.push_back(
        attitude ? attitude_of_.try_emplace(channel.name.substr(0, channel.name.rfind('.')), attitude_of_.size())
                       .first->second
                 : none);
  }
  signs_.resize(attitude_of_.size());
  if (reference.start) check_start();
}

void ReferenceSink::check_start() const {
  const SystemView& view = system_.view();
  using Sizes = std::unordered_map<std::string_view, std::size_t>;
  Sizes bodies, bending, joints;
  for (const BodyIndex b : system_.bodies()) {
    const BodyData& body = view.bodies[at(b)];
    bodies[body.name] = 3;
    if (body.flexible != rigid) bending[body.name] = view.flexible[body.flexible].modes;
  }
  for (const JointIndex j : system_.joints()) joints[view.joints[at(j)].name] = view.joints[at(j)].nv;
  const ReferenceStart& start = *reference_.start;
  const std::pair<const KnownByName*, const Sizes*> given[] = {
      {&start.linear, &bodies}, {&start.angular, &bodies}, {&start.modal, &bending}, {&start.joint, &joints}};
  for (const auto& [known, sizes] : given)
    for (const auto& [name, numbers] : *known) {
      const auto found = sizes->find(name);
      if (found == sizes->end()) refuse(reference_, numbers.place, name);
      if (numbers.values.size() != found->second) refuse_size(reference_, numbers, name, found->second);
    }
}

void ReferenceSink::note(const std::string& group, double error, double tolerance, double time,
                         const std::string& where) {
  if (!std::isfinite(error)) error = std::numeric_limits<double>::max();
  double& largest = errors_.largest[group];
  largest = std::max(largest, error);
  const double ratio = error / tolerance;
  if (ratio < errors_.ratio || (ratio == errors_.ratio && !errors_.channel.empty())) return;
  errors_.ratio = ratio;
  errors_.error = error;
  errors_.time = time;
  errors_.channel = where;
}

void ReferenceSink::row(double time, const Observation& now) {
  if (!started_ && reference_.start) compare_start(now);
  started_ = true;
  const std::span<const double> row = rows_.make(time, now, work_);
  const std::vector<double>& times = reference_.times;
  const auto before = [&](double t) { return t < time - same_time * std::max(1.0, time); };
  while (next_ < times.size() && before(times[next_])) ++next_;
  if (next_ == times.size() || std::abs(times[next_] - time) > same_time * std::max(1.0, time)) return;
  ++errors_.rows;
  settle_signs(row);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const double sign = attitudes_[c] == none || signs_[attitudes_[c]] >= 0 ? 1 : -1;
    double error = sign * row[columns_[c]] - compared_[c]->values[next_];
    // An angle of a joint is known up to whole turns.
    if (groups_[c] == "joint" && rows_.channels()[columns_[c]].unit == "rad")
      error = std::remainder(error, 2 * std::numbers::pi);
    note(groups_[c], std::abs(error), tolerance_at(reference_, groups_[c], time), time, compared_[c]->name);
  }
  ++next_;
}

void ReferenceSink::settle_signs(std::span<const double> row) {
  std::ranges::fill(signs_, 0);
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (attitudes_[c] != none) signs_[attitudes_[c]] += row[columns_[c]] * compared_[c]->values[next_];
}

void ReferenceSink::compare_start(const Observation& now) {
  const SystemView& view = system_.view();
  const ReferenceStart& start = *reference_.start;
  const auto check = [&](const KnownByName& known, const char* group, std::string_view name,
                         std::span<const double> found) {
    const auto expected = known.find(std::string(name));
    if (expected != known.end())
      note(group, difference(expected->second.values, found), start.tolerance.at(group), 0,
           fmt::format("{} acceleration of {}", group, name));
  };
  for (const BodyIndex b : system_.bodies()) {
    const BodyData& data = view.bodies[at(b)];
    const Observation::Body& body = now.bodies[at(b)];
    const Vec3 &a = body.acceleration, &alpha = body.angular_acceleration;
    check(start.linear, "linear", data.name, std::array{a.x, a.y, a.z});
    check(start.angular, "angular", data.name, std::array{alpha.x, alpha.y, alpha.z});
    if (data.flexible == rigid) continue;
    const FlexibleData& flexible = view.flexible[data.flexible];
    check(start.modal, "modal", data.name, now.modal_acceleration.subspan(flexible.mode_offset, flexible.modes));
  }
  for (const JointIndex j : system_.joints()) {
    const JointData& joint = view.joints[at(j)];
    check(start.joint, "joint", joint.name, now.acceleration.subspan(joint.v_offset, joint.nv));
  }
}

std::string to_text(const ReferenceErrors& errors) {
  return Json{{"largest", errors.largest}, {"ratio", errors.ratio},     {"error", errors.error},
              {"time", errors.time},       {"channel", errors.channel}, {"rows", errors.rows}}
      .dump();
}

ReferenceErrors errors_from_text(const std::string& text) {
  const Json in = Json::parse(text);
  return {in.at("largest"), in.at("ratio"), in.at("error"), in.at("time"), in.at("channel"), in.at("rows")};
}

}  // namespace polyform::host::verification
