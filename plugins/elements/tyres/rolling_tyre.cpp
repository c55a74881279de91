#include "rolling_tyre.hpp"

namespace polyform::tyres {

Wheel::Wheel(const ElementInstance& i)
    : radius(i.fields[rolling_field::radius].number),
      rolling_radius(i.fields[rolling_field::rolling_radius].given ? i.fields[rolling_field::rolling_radius].number
                                                                   : 0),
      stiffness(i.fields[rolling_field::stiffness].number),
      damping(i.fields[rolling_field::damping].number),
      onset(i.fields[rolling_field::onset].number),
      rolls_freely(i.fields[rolling_field::free_rolling].integer != 0),
      axis(i.fields[rolling_field::axis].vector),
      road(i, rolling_field::road) {}

/// 3x² − 2x³ of x = depth / onset, up to 1.
double Wheel::engaged(double depth) const noexcept {
  if (depth <= 0) return 0;
  if (depth >= onset) return 1;
  const double x = depth / onset;
  return x * x * (3 - 2 * x);
}

/// The wheel is a disc, and the road the plane that touches its surface under the centre. With the spin axis a, the
/// normal n, the height h of the centre over that plane and c = |a × n|, the cosine of the camber, the point of contact
/// is ρ = h/c along the radius u = (a (a·n) − n)/c; the compression is R − ρ and its rate −n·v_C/c.
Wheel::Touch Wheel::touch(const MarkerMotion& center) const noexcept {
  Touch t;
  t.axis = center.R * axis;
  const Road::Point under = road.at(center.position.x, center.position.y);
  const double steep = std::sqrt(1 + under.slope_x * under.slope_x + under.slope_y * under.slope_y);
  t.normal = (1 / steep) * Vec3{-under.slope_x, -under.slope_y, 1};
  const Vec3 across = cross(t.axis, t.normal);
  const double cosine = norm(across), sine = dot(t.axis, t.normal);
  if (!(cosine > 0)) {  // a wheel that lies flat has no radius to the road
    t.push = -stiffness * radius;
    return t;
  }
  const double distance = (center.position.z - under.height) / steep / cosine;
  t.along = (1 / cosine) * across;
  t.left = cross(t.normal, t.along);
  t.arm = (distance / cosine) * (sine * t.axis - t.normal);
  t.depth = radius - distance;
  t.camber = std::asin(std::clamp(sine, -1.0, 1.0));
  const Vec3 at_contact = center.velocity + cross(center.angular_velocity, t.arm);
  t.rate = -dot(t.normal, at_contact) / cosine;
  t.speed = dot(t.along, center.velocity);
  const double rolling = rolling_radius > 0 ? rolling_radius : radius - std::max(0.0, t.depth) / 3;
  t.slip_x = rolls_freely ? 0 : t.speed - rolling * dot(t.axis, center.angular_velocity);
  t.slip_y = dot(t.left, at_contact);
  t.push = stiffness * t.depth + damping * engaged(t.depth) * t.rate;
  t.load = t.depth > 0 ? std::max(0.0, t.push) / cosine : 0;
  return t;
}

bool check_wheel(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  if (is_ground(instance.markers[0].body)) {
    sink.report(Severity::error, number, rolling_field::wheel, "the wheel is fixed in ground: its tyre moves nothing",
                "Name the body that carries the wheel.");
    return false;
  }
  const Vec3 a = rotation_matrix(instance.drawn[0].orientation) * instance.fields[rolling_field::axis].vector;
  constexpr double smallest_sine = 1e-6;
  if (norm(cross(a, Vec3{0, 0, 1})) < smallest_sine) {
    sink.report(Severity::error, number, rolling_field::axis,
                "the spin axis points along z as drawn: the wheel lies flat",
                "Give the axis in the axes of the wheel's body; the road's normal is nearly z.");
    return false;
  }
  return check_road(instance, rolling_field::road, number, sink);
}

}  // namespace polyform::tyres
