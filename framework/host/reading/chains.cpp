// Chains: a template, read and checked once, then written out.
#include <fmt/format.h>

#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {

namespace {

constexpr std::size_t no_field = static_cast<std::size_t>(-1);

/// Which field of the joint type takes the place of the joint, if it has one.
std::size_t position_field(const JointType& type) {
  const Strided<const FieldSpec> specs = type.fields();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].name == "position" && specs[i].type == FieldType::vector3) return i;
  return no_field;
}

struct Template {
  BodyItem body;
  JointItem joint;
  BodyIndex base = BodyIndex::ground;
  Vec3 start, step;
};

void write_out(Reading& r, const ChainHead& head, const Template& t) {
  const std::size_t placed = t.joint.type ? position_field(*t.joint.type) : no_field;
  for (std::size_t k = 0; k < head.count; ++k) {
    const Vec3 position = t.start + static_cast<double>(k) * t.step;
    BodyItem& body = r.model.bodies[head.first_body + k];
    body = t.body;
    body.name = fmt::format("{}[{}]", head.name, k);
    body.pose.position = position;
    JointItem& joint = r.model.joints[head.first_joint + k];
    joint = t.joint;
    joint.name = body.name + ".joint";
    joint.base = k == 0 ? t.base : body_index(head.first_body + k - 1);
    joint.moving = body_index(head.first_body + k);
    if (placed == no_field) continue;
    joint.fields.values[placed].vector = position;
    joint.fields.values[placed].given = true;
  }
}

/// The base must not lie in the chain itself: then the chain would hang from nothing but itself.
void check_base(const Value& base, const ChainHead& head, std::optional<BodyIndex> index) {
  if (!index || is_ground(*index) || at(*index) < head.first_body || at(*index) >= head.first_body + head.count) return;
  base.error(fmt::format("the base {} is a body of the chain itself", show(base.node().text)),
             "Name 'ground' or a body outside this chain; close a loop with a joint under 'joints'.");
}

/// Checks that the copies of a template fit into memory, with what they have on the heap.
void check_size(const Value& value, const ChainHead& head, const Template& t) {
  const std::size_t numbers = t.joint.initial_position.size() + t.joint.initial_velocity.size();
  const std::size_t shapes = t.body.geometry.size() + t.body.pictures.size();
  const std::size_t bytes = shapes * sizeof(GeometricShape) + numbers * sizeof(double) + 1;
  if (head.count <= items_in_memory(bytes)) return;
  value.error(fmt::format("{} copies of this chain's template are more than this computer can hold", head.count),
              "Lower the count, or shorten 'geometry' and 'initial'.");
}

}  // namespace

void read_chain(Reading& r, const Value& value, const ChainHead& head) {
  MapReader map(value);
  if (!map.is_map()) return;
  map.find("name");
  map.find("count");
  const std::size_t errors = r.report.errors();
  Template t;
  const std::size_t known = r.doubtful.size();
  if (const auto body = map.require("body", "what every body of the chain has: mass, inertia, …")) {
    MapReader entries(*body);
    t.body.place = body->place();
    read_body_entries(r, entries, t.body, true);
    if (r.doubtful.size() > known) {
      r.doubtful.back().first_body = head.first_body;
      r.doubtful.back().bodies = head.count;
    }
  }
  if (const auto joint = map.require("joint", "what every joint of the chain has: type, axis, …")) {
    MapReader entries(*joint);
    t.joint.place = joint->place();
    read_joint_entries(r, entries, t.joint, true);
  }
  if (const auto base = map.find("base")) {
    const std::optional<BodyIndex> index = read_body(*base, r.names);
    check_base(*base, head, index);
    t.base = index.value_or(BodyIndex::ground);
  }
  if (const auto start = map.find("start")) t.start = read_vector3(*start, "m").value_or(Vec3{});
  if (const auto step = map.require("step", "from each body to the next, in m"))
    t.step = read_vector3(*step, "m").value_or(Vec3{});
  map.finish();
  check_size(value, head, t);
  if (r.report.errors() != errors) return;
  t.body.path = t.joint.path = value.path().text();
  write_out(r, head, t);
}

}  // namespace polyform::host::reading
