#include "group_fields.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "contact_fields.hpp"
#include "contact_law.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "shape_pair.hpp"

namespace polyform::contact {

namespace {

std::array<FieldSpec, 11> fields_of_group() {
  return {
      FieldSpec{.name = "bodies",
                .type = FieldType::bodies,
                .unit = "",
                .meaning = "two bodies or more, ground among them if it takes part; each may touch each other one",
                .required = true},
      FieldSpec{.name = "sides",
                .type = FieldType::numbers,
                .unit = "",
                .meaning = "per body 1 or 2, where bodies of side 1 touch those of side 2 only, or 3 for both sides; "
                           "default: all are on both"},
      FieldSpec{.name = "apart",
                .type = FieldType::numbers,
                .unit = "",
                .meaning = "pairs that do not touch: places in 'bodies', from 0, two for each pair"},
      contact_fields[stiffness],
      contact_fields[exponent],
      contact_fields[restitution],
      contact_fields[static_friction],
      contact_fields[dynamic_friction],
      contact_fields[transition],
      contact_fields[rolling],
      contact_fields[law]};
}

bool is_place(double x, std::size_t count) noexcept {
  return x >= 0 && x < static_cast<double>(count) && x == std::floor(x);
}

unsigned sides_of(const ElementInstance& instance, std::size_t m) noexcept {
  const std::span<const double> sides = instance.fields[group_sides].numbers;
  return sides.empty() ? Extent::both : static_cast<unsigned>(sides[m]);
}

/// Whether two bodies of the group may touch.
bool may_touch(const ElementInstance& instance, std::size_t a, std::size_t b) noexcept {
  if (!Extent::may_meet(sides_of(instance, a), sides_of(instance, b))) return false;
  const std::span<const double> apart = instance.fields[group_apart].numbers;
  for (std::size_t k = 0; k + 1 < apart.size(); k += 2) {
    const auto x = static_cast<std::size_t>(apart[k]), y = static_cast<std::size_t>(apart[k + 1]);
    if ((x == a && y == b) || (x == b && y == a)) return false;
  }
  return instance.markers[a].body != instance.markers[b].body;
}

bool has_kind(const ElementInstance& instance, std::size_t m, GeometricShape::Kind kind) noexcept {
  return std::ranges::any_of(instance.shapes[m].shapes, [kind](const GeometricShape& s) { return s.kind == kind; });
}

/// Two bodies with shapes of these kinds that may touch; false if there are none. Pairs of kinds that lack points are
/// few, and few bodies have such shapes.
bool find_pair(const ElementInstance& instance, GeometricShape::Kind one, GeometricShape::Kind other) noexcept {
  const std::size_t n = instance.markers.size();
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; has_kind(instance, a, one) && b < n; ++b)
      if (b != a && has_kind(instance, b, other) && may_touch(instance, a, b)) return true;
  return false;
}

bool check_lists(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  const std::size_t n = instance.markers.size();
  const std::span<const double> sides = instance.fields[group_sides].numbers,
                                apart = instance.fields[group_apart].numbers;
  if (instance.fields[group_sides].given &&
      (sides.size() != n || !std::ranges::all_of(sides, [](double s) { return s == 1 || s == 2 || s == 3; }))) {
    sink.report(Severity::error, number, group_sides,
                Message("'sides' has {} numbers for {} bodies, or others than 1, 2 and 3", sides.size(), n),
                "Give one for each body, or leave 'sides' out.");
    return false;
  }
  if (apart.size() % 2 != 0 || !std::ranges::all_of(apart, [n](double k) { return is_place(k, n); })) {
    sink.report(Severity::error, number, group_apart,
                Message("'apart' is not a list of pairs of places in 'bodies', which has {}", n),
                "Give two whole numbers for each pair, the first body being 0.");
    return false;
  }
  return true;
}

bool check_shapes(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  for (std::size_t m = 0; m < instance.markers.size(); ++m)
    if (instance.shapes.empty() || instance.shapes[m].shapes.empty()) {
      sink.report(Severity::error, number, group_bodies,
                  Message("{} of the bodies, number {}, has no geometry that could touch",
                          is_ground(instance.markers[m].body) ? "ground" : "one", m + 1),
                  "Add 'geometry' to it, or leave it out here.");
      return false;
    }
  using enum GeometricShape::Kind;
  constexpr std::array kinds{box, cylinder, sphere, capsule, plane, ellipsoid, mesh, height_field};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t j = i; j < kinds.size(); ++j) {
      if (ShapePair::exists(kinds[i], kinds[j]) || !find_pair(instance, kinds[i], kinds[j])) continue;
      sink.report(Severity::error, number, group_bodies,
                  Message("there is no contact between {} and {}", word_for(kinds[i]), word_for(kinds[j])),
                  remedy_for_shapes);
      return false;
    }
  return true;
}

/// What the law asks of the fields: numbers in their order, the first that is wrong.
bool check_law(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  const Strided<const FieldValue> f = instance.fields;
  if (f[group_law].integer == rigid_law) {
    for (const std::size_t field : {group_stiffness, group_exponent, group_transition, group_rolling}) {
      if (!f[field].given) continue;
      sink.report(Severity::error, number, field,
                  Message("'{}' is of the law hunt-crossley; rigid bodies have none", group_fields[field].name),
                  "Leave it out, or give 'law: hunt-crossley'.");
      return false;
    }
    return true;
  }
  if (!f[group_stiffness].given) {
    sink.report(Severity::error, number, group_stiffness, "the law hunt-crossley needs a stiffness",
                "Give 'stiffness', or 'law: rigid' for bodies that do not give way.");
    return false;
  }
  if (f[group_restitution].number < least_restitution) {
    sink.report(
        Severity::error, number, group_restitution,
        Message("a group has a restitution of {:g} at least, not {:g}", least_restitution, f[group_restitution].number),
        "Give a larger one.");
    return false;
  }
  return true;
}

}  // namespace

const std::array<FieldSpec, 11> group_fields = fields_of_group();

std::vector<bool> first_of_bodies(const ElementInstance& instance) {
  std::vector<bool> first(instance.markers.size());
  std::vector<std::size_t> order(instance.markers.size());
  for (std::size_t m = 0; m < order.size(); ++m) order[m] = m;
  const auto body = [&](std::size_t m) { return instance.markers[m].body; };
  std::ranges::stable_sort(order, {}, body);
  for (std::size_t k = 0; k < order.size(); ++k) first[order[k]] = k == 0 || body(order[k]) != body(order[k - 1]);
  return first;
}

bool check_group(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  if (instance.markers.size() < 2) {
    sink.report(Severity::error, number, group_bodies, "a group of contacts needs two bodies at least",
                "Name more bodies, or 'ground'.");
    return false;
  }
  if (!check_lists(instance, number, sink) || !check_shapes(instance, number, sink)) return false;
  if (!std::ranges::any_of(instance.inertias, [](const BodyInertia& inertia) { return inertia.mass > 0; })) {
    sink.report(Severity::error, number, group_bodies, "none of the bodies has a mass",
                "Contacts of a group are damped by the masses that meet: give one of them a mass.");
    return false;
  }
  if (!check_law(instance, number, sink)) return false;
  return check_friction(instance.fields[group_static], instance.fields[group_dynamic], number, group_static, sink);
}

GroupLaw group_law_of(const ElementInstance& instance) {
  const Strided<const FieldValue> f = instance.fields;
  GroupLaw law;
  law.stiffness = f[group_stiffness].number;
  law.exponent = f[group_exponent].number;
  law.damping_number = damping_without_memory(f[group_restitution].number);
  law.rolling = f[group_rolling].number;
  law.friction.static_ = f[group_static].given ? f[group_static].number : f[group_dynamic].number;
  law.friction.dynamic = f[group_dynamic].number;
  law.friction.speed = f[group_transition].number;
  return law;
}

}  // namespace polyform::contact
