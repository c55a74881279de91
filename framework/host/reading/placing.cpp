// Places the items of a part: takes them from the part's axes to ground.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {
namespace {

Vec3 point_in_ground(const Pose& pose, const Vec3& p) { return pose.position + rotation_matrix(pose.orientation) * p; }
void turn(const Pose& pose, Vec3& v) { v = rotation_matrix(pose.orientation) * v; }
bool is_turned(const Pose& pose) { return norm(Vec3{pose.orientation.x, pose.orientation.y, pose.orientation.z}) != 0; }

/// The direction in ground along which an element counts a distance: its only direction.
const FieldValue* direction_in_ground(Strided<const FieldSpec> specs, const Fields& fields) {
  const FieldValue* only = nullptr;
  for (std::size_t i = 0; i < fields.values.size(); ++i) {
    if (!specs[i].tied_to_ground || specs[i].type != FieldType::direction) continue;
    if (only != nullptr) return nullptr;
    only = &fields.values[i];
  }
  return only;
}

/// The rows of a matrix in ground axes: points where they are lengths, else directions.
void place_rows(const Pose& pose, const FieldSpec& spec, FieldValue& value, Description& storage) {
  if (value.numbers.size() != 3 * std::size_t{value.rows}) return;
  std::vector<double>& rows = storage.numbers.emplace_back(value.numbers.begin(), value.numbers.end());
  for (std::size_t k = 0; k < rows.size(); k += 3) {
    Vec3 v{rows[k], rows[k + 1], rows[k + 2]};
    if (spec.unit == "m")
      v = point_in_ground(pose, v);
    else
      turn(pose, v);
    for (std::size_t j = 0; j < 3; ++j) rows[k + j] = v[j];
  }
  value.numbers = rows;
}

/// Whether what is drawn in a part is turned against the axes of a body of another scope, or of ground.
bool is_turned_against(const Pose& pose, const Scope* base) {
  constexpr double rounding = 1e-12;
  const Quat q = (base == nullptr ? Quat{1, 0, 0, 0} : conjugate(base->pose.orientation)) * pose.orientation;
  return norm(Vec3{q.x, q.y, q.z}) > rounding;
}

/// Keeps the motions of a joint, in the axes that its fields are given in.
class Motions final : public JointDefinition {
 public:
  std::vector<Primitive> found;
  void set_position(const Vec3&) noexcept override {}
  void add_primitive(Primitive::Kind kind, const Vec3& axis) noexcept override { found.push_back({kind, axis}); }
  void set_parameters(std::span<const double>) noexcept override {}
};
/// Mistakes are told where the joint is built.
class Deaf final : public FieldSink {
 public:
  void report(Severity, std::size_t, std::size_t, std::string_view, std::string_view) noexcept override {}
};

/// Nothing if the fields contradict each other, or one is missing.
std::optional<std::vector<Primitive>> motions_of(const JointItem& joint) {
  const Strided<const FieldSpec> specs = joint.type->fields();
  if (joint.fields.values.size() != specs.size()) return std::nullopt;
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].required && !joint.fields.values[i].given) return std::nullopt;
  Motions motions;
  Deaf deaf;
  if (!joint.type->define({.fields = joint.fields.values}, motions, deaf)) return std::nullopt;
  return std::move(motions.found);
}

/// Per velocity coordinate of a placed joint: whether its axis is not turned with the part. Empty if all are.
Unturned unturned_coordinates(const JointItem& joint, const std::optional<std::vector<Primitive>>& in_part,
                              const Pose& pose) {
  constexpr double rounding = 1e-9;
  Unturned unturned;
  const Strided<const FieldSpec> specs = joint.type->fields();
  bool has_direction = false;
  for (std::size_t i = 0; i < joint.fields.values.size(); ++i)
    has_direction = has_direction || (specs[i].type == FieldType::direction && joint.fields.values[i].given);
  const bool is_code = joint.type->kernel() != nullptr;
  const std::optional<std::vector<Primitive>> placed = is_code ? std::nullopt : motions_of(joint);
  if (!in_part || !placed || placed->empty() || in_part->size() != placed->size()) {
    // Which coordinates these are is not told: without a direction all are of base axes, and with a quaternion
    // its angular velocity is.
    const std::size_t nv = joint.type->velocity_count();
    if (!has_direction || (is_code && joint.type->position_count() != nv))
      unturned.assign(std::max<std::size_t>(nv, 1), true);
    return unturned;
  }
  for (std::size_t k = 0; k < placed->size(); ++k) {
    Vec3 axis = (*in_part)[k].axis;
    turn(pose, axis);
    const Primitive& p = (*placed)[k];
    unturned.insert(unturned.end(), velocity_count(p.kind),
                    p.kind == Primitive::Kind::ball || norm(axis - p.axis) > rounding);
  }
  if (std::ranges::find(unturned, true) == unturned.end()) unturned.clear();
  return unturned;
}

/// Whether a field gives something to velocity coordinate k that has a direction.
bool acts_along(const FieldSpec& spec, const FieldValue& field, std::size_t k) {
  const auto own = [k](const auto& list) { return list.size() == 1 ? 0 : k; };
  if (spec.type == FieldType::time_functions && own(field.functions) < field.functions.size()) {
    const TimeFunction& f = field.functions[own(field.functions)];
    return f.kind != TimeFunction::Kind::constant || f.constant != 0;
  }
  // A direction that is not of ground is one of the axes along which the coordinates count.
  if (spec.type == FieldType::direction) return field.given && !spec.tied_to_ground;
  if (spec.type != FieldType::numbers || own(field.numbers) >= field.numbers.size()) return false;
  // Coordinates; else stiffness and the like, which are the same in all directions if they are equal.
  if (spec.unit == "m or rad") return field.numbers[own(field.numbers)] != 0;
  return std::ranges::adjacent_find(field.numbers, std::not_equal_to{}) != field.numbers.end();
}

}  // namespace

void place_in_ground(const Scope* scope, BodyItem& body) {
  if (scope == nullptr || scope->is_model) return;
  body.pose = {normalized(scope->pose.orientation * body.pose.orientation),
               point_in_ground(scope->pose, body.pose.position)};
  if (body.velocity) turn(scope->pose, *body.velocity);
  if (body.angular_velocity) turn(scope->pose, *body.angular_velocity);
}

/// A joint is drawn in ground: its position, and all directions that it has. Values that have a meaning only in axes
/// that are not turned with the part are refused.
Unturned place_in_ground(const Value& value, JointItem& joint, const Scope* base, Description& storage) {
  const Scope* const scope = value.scope();
  if (scope == nullptr || scope->is_model || joint.type == nullptr) return {};
  const Strided<const FieldSpec> specs = joint.type->fields();
  const bool against_base = is_turned_against(scope->pose, base);
  const auto in_part = against_base && joint.type->kernel() == nullptr ? motions_of(joint) : std::nullopt;
  for (std::size_t i = 0; i < joint.fields.values.size(); ++i) {
    FieldValue& field = joint.fields.values[i];
    if (specs[i].type == FieldType::direction) {
      if (field.given || !specs[i].default_text.empty())
        turn(scope->pose, field.vector);
      else if (specs[i].tied_to_ground && is_turned(scope->pose))
        value.error(fmt::format("the placement turns the part, and {} of joint {} is not given: its default is a "
                                "direction of ground",
                                show(specs[i].name), show(joint.name)),
                    "Give the direction as it is drawn in the part.");
    } else if (specs[i].type == FieldType::vector3 && (specs[i].name == "position" || specs[i].tied_to_ground)) {
      field.vector = point_in_ground(scope->pose, field.vector);
    } else if (specs[i].type == FieldType::matrix && specs[i].tied_to_ground) {
      place_rows(scope->pose, specs[i], field, storage);
    }
  }
  if (!against_base) return {};
  Unturned unturned = unturned_coordinates(joint, in_part, scope->pose);
  if (!unturned.empty() && !(joint.initial_position.empty() && joint.initial_velocity.empty()))
    value.error(fmt::format("the placement turns the part, and the coordinates of joint {} count along {} axes",
                            show(joint.name), is_ground(joint.base) ? "ground" : "its base's"),
                "Give the body its `position`, `orientation`, `velocity` and `angular_velocity` in place of `initial`: "
                "those are placed.");
  return unturned;
}

/// Defaults are placed too, because they hold for the part as drawn.
void place_in_ground(const Value& element, Strided<const FieldSpec> specs, Fields& fields, Description& storage) {
  const Scope* const scope = element.scope();
  if (scope == nullptr || scope->is_model) return;
  for (std::size_t i = 0; i < fields.values.size(); ++i) {
    FieldValue& value = fields.values[i];
    const FieldSpec& spec = specs[i];
    if (!value.given && spec.default_text.empty()) continue;
    if (spec.type == FieldType::marker && is_ground(value.body)) {
      value.vector = point_in_ground(scope->pose, value.vector);
    } else if (spec.type == FieldType::markers) {
      std::vector<Vec3>& points = storage.point_lists.emplace_back(value.points.begin(), value.points.end());
      for (std::size_t k = 0; k < points.size(); ++k)
        if (is_ground(value.bodies[k])) points[k] = point_in_ground(scope->pose, points[k]);
      value.points = points;
    } else if (spec.tied_to_ground && spec.type == FieldType::direction) {
      turn(scope->pose, value.vector);
    } else if (spec.tied_to_ground && spec.type == FieldType::vector3) {
      if (spec.unit == "m")
        value.vector = point_in_ground(scope->pose, value.vector);
      else
        turn(scope->pose, value.vector);
    } else if (spec.tied_to_ground && spec.type == FieldType::orientation) {
      value.orientation = normalized(scope->pose.orientation * value.orientation);
    } else if (spec.tied_to_ground && spec.type == FieldType::matrix) {
      place_rows(scope->pose, spec, value, storage);
    }
  }
  // Distances are shifted last, when their direction is turned.
  for (std::size_t i = 0; i < fields.values.size(); ++i) {
    if (!specs[i].tied_to_ground || specs[i].type != FieldType::number || specs[i].unit != "m") continue;
    if (const FieldValue* const along = direction_in_ground(specs, fields))
      fields.values[i].number += dot(along->vector, scope->pose.position);
    else if (is_turned(scope->pose) || norm(scope->pose.position) != 0)
      element.error(fmt::format("{} is a distance in ground, which a part that is placed elsewhere cannot have",
                                show(specs[i].name)),
                    "Define the element outside the part.");
  }
}

void refuse_unturned(const Value& element, Strided<const FieldSpec> specs, const Fields& fields,
                     const Description& model, const std::map<JointIndex, Unturned>& joints) {
  if (element.scope() == nullptr || element.scope()->is_model) return;
  const auto refuse = [&](const JointItem& joint, const FieldSpec& spec) {
    element.error(fmt::format("the placement turns the part, and the coordinates of joint {}, which {} is of, count "
                              "along {} axes",
                              show(joint.name), show(spec.name), is_ground(joint.base) ? "ground" : "its base's"),
                  "Define the element outside the part; or load the body by a point-force, or drive it by a joint "
                  "whose axes are drawn in the part.");
  };
  for (std::size_t i = 0; i < fields.values.size(); ++i) {
    if (specs[i].type != FieldType::joint) continue;
    const auto found = joints.find(fields.values[i].joint);
    if (found == joints.end()) continue;
    const JointItem& joint = model.joints[at(found->first)];
    const Unturned& unturned = found->second;
    // `coordinate` chooses one of `joint`, `other_coordinate` one of `other_joint`; else all are meant.
    std::string chooser(specs[i].name);
    if (chooser.ends_with("joint")) chooser.replace(chooser.size() - 5, 5, "coordinate");
    const auto chosen = std::ranges::find(specs, chooser, &FieldSpec::name);
    const std::size_t c = static_cast<std::size_t>(chosen - specs.begin());
    if (chosen != specs.end() && (fields.values[c].given || !specs[c].default_text.empty())) {
      const std::int64_t k = fields.values[c].integer;
      if (k >= 0 && static_cast<std::size_t>(k) < unturned.size() && unturned[static_cast<std::size_t>(k)])
        return refuse(joint, specs[c]);
      continue;
    }
    for (std::size_t f = 0; f < fields.values.size(); ++f)
      for (std::size_t k = 0; k < unturned.size(); ++k)
        if (unturned[k] && acts_along(specs[f], fields.values[f], k)) return refuse(joint, specs[f]);
  }
}

}  // namespace polyform::host::reading
