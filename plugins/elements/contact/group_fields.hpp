// The fields of a group of contacts.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "group_law.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/force.hpp"

namespace polyform::contact {

enum GroupField : std::size_t {
  group_bodies,
  group_sides,
  group_apart,
  group_stiffness,
  group_exponent,
  group_restitution,
  group_static,
  group_dynamic,
  group_transition,
  group_rolling,
  group_law
};

extern const std::array<FieldSpec, 11> group_fields;

/// Bodies with shapes that have points of contact, one of them with a mass; lists of the right lengths; the fields of
/// its law. Reports to the sink.
bool check_group(const ElementInstance&, std::size_t number, FieldSink&) noexcept;
/// Per marker whether it is the first one of its body: a body that is named twice is in the group once.
std::vector<bool> first_of_bodies(const ElementInstance&);
GroupLaw group_law_of(const ElementInstance&);

}  // namespace polyform::contact
