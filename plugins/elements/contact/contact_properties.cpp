#include "contact_properties.hpp"

#include <algorithm>

#include "contact_fields.hpp"

namespace polyform::contact {
namespace {

/// The mass with which two free bodies, or a body and ground, answer to a push through their mass centres, kg.
double mass_of(const ElementInstance& instance) noexcept {
  return inverse(inverse(instance.inertias[0].mass) + inverse(instance.inertias[1].mass));
}

}  // namespace

Contact contact_of(const ElementInstance& instance) {
  const Strided<const FieldValue> f = instance.fields;
  Contact c{};
  c.stiffness = f[stiffness].number;
  c.exponent = f[exponent].number;
  c.damping_number = damping_number(f[restitution].number);
  c.friction.dynamic = f[dynamic_friction].number;
  c.friction.static_ = static_friction_of(instance);
  c.friction.speed = f[transition].number;
  c.rolling = f[rolling].number;
  c.mass = mass_of(instance);
  if (f[bristles].given) {
    // Damped so that what sticks does not ring: critically, of the reduced mass.
    c.bristles.stiffness = f[bristles].number;
    c.bristles.damping = 2 * std::sqrt(c.bristles.stiffness * c.mass);
  }
  // What lies on the other body approaches with the speed that its weight gives it on its way into the spring.
  const double weight = c.mass * norm(instance.gravity);
  const double sink = std::pow(weight / c.stiffness, 1 / c.exponent);
  constexpr double least = 1e-9;
  c.least_approach = std::max(least, std::sqrt(norm(instance.gravity) * sink));
  return c;
}

}  // namespace polyform::contact
