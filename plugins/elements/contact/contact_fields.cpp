#include "contact_fields.hpp"

#include "polyform/helpers/element_helpers.hpp"
#include "shape_pair.hpp"

namespace polyform::contact {

namespace {
constexpr std::array<std::string_view, 2> laws{"hunt-crossley", "rigid"};
constexpr std::array<std::string_view, 2> impacts{"newton", "poisson"};
}

constinit const std::array<FieldSpec, 12> contact_fields{
    FieldSpec{.name = "a",
              .type = FieldType::body,
              .unit = "",
              .meaning = "the body whose shapes touch those of b",
              .required = true},
    FieldSpec{
        .name = "b", .type = FieldType::body, .unit = "", .meaning = "the other body, or ground", .required = true},
    FieldSpec{.name = "law",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "hunt-crossley: a nonlinear spring with damping that grows with the penetration; rigid: no "
                         "penetration, with impacts and friction that sticks and slides as events",
              .default_text = "hunt-crossley",
              .choices = laws},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m^exponent",
              .meaning =
                  "k of k δ^exponent, δ being the penetration in m, at each point of contact; hunt-crossley needs "
                  "it, rigid has none",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e5},
    FieldSpec{.name = "exponent",
              .type = FieldType::number,
              .unit = "",
              .meaning = "1 for a linear spring, 1.5 for elastic balls (Hertz)",
              .default_text = "1.5",
              .minimum = 1,
              .maximum = 10},
    FieldSpec{.name = "restitution",
              .type = FieldType::number,
              .unit = "",
              .meaning = "speed after a free impact over the speed before; 1 loses nothing; hunt-crossley takes 0.001 "
                         "at least",
              .default_text = "1",
              .minimum = 0,
              .maximum = 1},
    FieldSpec{.name = "friction.static",
              .type = FieldType::number,
              .unit = "",
              .meaning = "greatest coefficient of friction, at the speed 'velocity'; default: as 'dynamic'",
              .minimum = 0},
    FieldSpec{.name = "friction.dynamic",
              .type = FieldType::number,
              .unit = "",
              .meaning = "coefficient of friction at higher speeds",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "friction.velocity",
              .type = FieldType::number,
              .unit = "m/s",
              .meaning = "sliding speed at which friction is greatest; slower sliding counts as sticking",
              .default_text = "0.001",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "impact",
              .type = FieldType::choice,
              .unit = "",
              .meaning =
                  "what restitution is, of the law rigid: newton, speed after over speed before; poisson, impulse of "
                  "the expansion over that of the compression. They differ where friction or several contacts "
                  "take part",
              .default_text = "newton",
              .choices = impacts},
    FieldSpec{.name = "friction.stiffness",
              .type = FieldType::number,
              .unit = "N/m",
              .meaning = "of the bristles by which friction sticks without creeping, of the law hunt-crossley; without "
                         "it what sticks creeps with a part of 'velocity'",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e5},
    FieldSpec{.name = "friction.rolling",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "lever of rolling resistance, of the law hunt-crossley: a moment of it times the normal force "
                         "acts against rolling",
              .default_text = "0",
              .minimum = 0,
              .typical = 1e-3}};

std::string_view word_for(GeometricShape::Kind kind) noexcept {
  constexpr std::array<std::string_view, 8> words{"a box",   "a cylinder",   "a sphere", "a capsule",
                                                  "a plane", "an ellipsoid", "a mesh",   "a height field"};
  return words[static_cast<std::size_t>(kind)];
}
constinit const std::string_view remedy_for_shapes =
    "Planes and height fields do not touch each other, and ellipsoids touch no ellipsoid, capsule or cylinder: take a "
    "convex mesh in the place of one of them.";

bool check_friction(const FieldValue& at_rest, const FieldValue& sliding, std::size_t number, std::size_t field,
                    FieldSink& sink) noexcept {
  if (at_rest.given && at_rest.number > 0 && !sliding.given)
    sink.report(Severity::warning, number, field,
                "there is friction at rest and none in sliding: 'dynamic' is 0 where it is not given",
                "Give 'dynamic' too; alone it is the friction at rest as well.");
  if (!at_rest.given || at_rest.number >= sliding.number) return true;
  sink.report(Severity::error, number, field,
              Message("the friction at rest, {:g}, is below that of sliding, {:g}", at_rest.number, sliding.number),
              "'static' is the greater of the two, or left out.");
  return false;
}

double static_friction_of(const ElementInstance& instance) noexcept {
  return instance.fields[instance.fields[static_friction].given ? static_friction : dynamic_friction].number;
}

bool check_contact(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  if (instance.markers[0].body == instance.markers[1].body) {
    sink.report(Severity::error, number, b, "the contact is between a body and itself", "Name two bodies.");
    return false;
  }
  for (const std::size_t side : {a, b})
    if (instance.shapes.empty() || instance.shapes[side].shapes.empty()) {
      const bool ground = is_ground(instance.markers[side].body);
      sink.report(Severity::error, number, side,
                  Message("{} has no geometry that could touch", ground ? "ground" : "the body"),
                  ground ? "Add 'ground: {geometry: [{type: plane}]}' to the model."
                         : "Add 'geometry: [{type: sphere, radius: ...}]' to the body.");
      return false;
    }
  for (const GeometricShape& first : instance.shapes[0].shapes)
    for (const GeometricShape& second : instance.shapes[1].shapes) {
      if (ShapePair::exists(first.kind, second.kind)) continue;
      sink.report(Severity::error, number, b,
                  Message("there is no contact between {} and {}", word_for(first.kind), word_for(second.kind)),
                  remedy_for_shapes);
      return false;
    }
  return check_friction(instance.fields[static_friction], instance.fields[dynamic_friction], number, static_friction,
                        sink);
}

}  // namespace polyform::contact
