#include "framework/workbench/conformance/redrawing.hpp"

#include <algorithm>
#include <array>

namespace polyform::host::inline conformance {

namespace {

Vec3 turned(const Mat3& R, const double* x) { return R * Vec3{x[0], x[1], x[2]}; }

}  // namespace

bool holds_vectors(const FieldSpec& field) {
  switch (field.type) {
    case FieldType::vector3:
    case FieldType::direction:
    case FieldType::orientation:
    case FieldType::matrix:
    case FieldType::numbers:
    case FieldType::time_functions: return true;
    default: return false;
  }
}

RedrawnInstance::RedrawnInstance(Strided<const FieldSpec> specs, const ElementInstance& read, const Redrawing& how)
    : how_(how), read_(read), fields_(read.fields.begin(), read.fields.end()) {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    FieldValue& value = fields_[f];
    const bool of_ground = specs[f].tied_to_ground && std::ranges::find(how.as_of_body, f) == how.as_of_body.end();
    if (!makes_markers(specs[f].type)) {
      turn(specs[f], value, of_ground);
      continue;
    }
    if (specs[f].tied_to_ground && unknown_.empty()) unknown_ = specs[f].name;
    if (specs[f].type == FieldType::body || specs[f].type == FieldType::marker) {
      value.vector = redraw_marker(value.body, specs[f].type == FieldType::marker ? value.vector : Vec3{});
      continue;
    }
    std::vector<Vec3>& points = points_.emplace_back(value.points.begin(), value.points.end());
    for (std::size_t k = 0; k < points.size(); ++k) points[k] = redraw_marker(value.bodies[k], points[k]);
    value.points = points;
  }
  instance_ = read;
  instance_.fields = fields_;
  instance_.markers = markers_;
  instance_.drawn = drawn_;
  instance_.inertias = inertias_;
  instance_.gravity = how.turn * read.gravity;
}

/// The next marker; gives its point in the new frame of its body.
Vec3 RedrawnInstance::redraw_marker(BodyIndex body, const Vec3& read) {
  const std::size_t k = markers_.size();
  Vec3 point = read;
  Pose pose = read_.drawn[k];
  if (!is_ground(body)) {
    point = transpose_times(how_.frames, point);
    pose.orientation = pose.orientation * quaternion_of(how_.frames);
  }
  markers_.push_back({body, point, read_.markers[k].frame});
  drawn_.push_back({quaternion_of(how_.turn) * pose.orientation, how_.turn * pose.position});
  BodyInertia inertia = k < read_.inertias.size() ? read_.inertias[k] : BodyInertia{};
  if (!is_ground(body)) {
    inertia.center_of_mass = transpose_times(how_.frames, inertia.center_of_mass);
    inertia.inertia = rotate(transpose(how_.frames), inertia.inertia);
  }
  inertias_.push_back(inertia);
  return point;
}

void RedrawnInstance::turn(const FieldSpec& spec, FieldValue& value, bool of_ground) {
  const Mat3 R = of_ground ? how_.turn : transpose(how_.frames);
  switch (spec.type) {
    case FieldType::vector3:
    case FieldType::direction: value.vector = R * value.vector; return;
    case FieldType::orientation: value.orientation = quaternion_of(R) * value.orientation; return;
    case FieldType::matrix:
    case FieldType::numbers: {
      const std::size_t rows = spec.type == FieldType::matrix ? value.rows : 1;
      if (value.numbers.size() != 3 * rows) break;
      if (!spec.tied_to_ground) return;  // of no frame that is known
      std::vector<double>& list = numbers_.emplace_back(value.numbers.begin(), value.numbers.end());
      for (std::size_t r = 0; r < rows; ++r) {
        const Vec3 v = turned(R, &list[3 * r]);
        std::ranges::copy(std::array{v.x, v.y, v.z}, &list[3 * r]);
      }
      value.numbers = list;
      return;
    }
    case FieldType::time_functions: {
      const auto constant = [](const TimeFunction& f) { return f.kind == TimeFunction::Kind::constant; };
      if (!spec.tied_to_ground) return;
      if (value.functions.size() != 3 || !std::ranges::all_of(value.functions, constant)) break;
      std::vector<TimeFunction>& list = functions_.emplace_back(value.functions.begin(), value.functions.end());
      const Vec3 v = R * Vec3{list[0].constant, list[1].constant, list[2].constant};
      list[0].constant = v.x;
      list[1].constant = v.y;
      list[2].constant = v.z;
      value.functions = list;
      return;
    }
    case FieldType::number:
    case FieldType::time_function:
      return;  // a height above a plane of ground, a size: turns about the ground origin do not change it
    default: break;
  }
  if (spec.tied_to_ground && unknown_.empty()) unknown_ = spec.name;
}

BatchInput RedrawnInstance::input(const BatchInput& of_read) const {
  BatchInput in = of_read;
  for (std::size_t k = 0; k < in.markers.size(); ++k) {
    MarkerMotion& m = in.markers[k];
    const Vec3 old_arm = m.R * read_.markers[k].point;
    if (!is_ground(read_.markers[k].body)) m.R = m.R * how_.frames;
    const Vec3 arm = m.R * instance_.markers[k].point;
    m.position += arm - old_arm;
    m.velocity += cross(m.angular_velocity, arm - old_arm);
  }
  return in;
}

}  // namespace polyform::host::conformance
