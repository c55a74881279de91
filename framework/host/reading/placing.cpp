// Places the items of a part: takes them from the part's axes to ground.
#include <fmt/format.h>

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

}  // namespace

void place_in_ground(const Scope* scope, BodyItem& body) {
  if (scope == nullptr || scope->is_model) return;
  body.pose = {normalized(scope->pose.orientation * body.pose.orientation),
               point_in_ground(scope->pose, body.pose.position)};
  if (body.velocity) turn(scope->pose, *body.velocity);
  if (body.angular_velocity) turn(scope->pose, *body.angular_velocity);
}

/// A joint is drawn in ground: its position, and all directions that it has. Values that have a meaning only in ground
/// axes are refused if the part is turned.
void place_in_ground(const Value& value, JointItem& joint) {
  const Scope* const scope = value.scope();
  if (scope == nullptr || scope->is_model || joint.type == nullptr) return;
  const Strided<const FieldSpec> specs = joint.type->fields();
  bool has_direction = false;
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
      has_direction = has_direction || field.given;
    } else if (specs[i].type == FieldType::vector3 && (specs[i].name == "position" || specs[i].tied_to_ground)) {
      field.vector = point_in_ground(scope->pose, field.vector);
    }
  }
  if (!has_direction && is_turned(scope->pose) && !(joint.initial_position.empty() && joint.initial_velocity.empty()))
    value.error(fmt::format("the placement turns the part, and the coordinates of joint {} count along ground axes",
                            show(joint.name)),
                "Give the body its `position`, `orientation`, `velocity` and `angular_velocity` in place of `initial`: "
                "those are placed.");
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

}  // namespace polyform::host::reading
