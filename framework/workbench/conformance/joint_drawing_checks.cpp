// Whether a joint allows the motion that is drawn: about directions and places that its fields give in ground.
#include "framework/workbench/conformance/joint_probe.hpp"
#include "polyform/mechanics/constraint.hpp"

namespace polyform::host::inline conformance {

namespace {

/// The model with the first `key: [...]` after a place in its text replaced; nothing if it has none, or the host does
/// not accept the result.
std::optional<Sample> with_list(const Bench& bench, const Sample& sample, std::string_view after,
                                const std::string& key, const Vec3& value) {
  std::string text = sample.text, complaint;
  const std::size_t start = text.find(key, text.find(after));
  if (start == std::string::npos) return {};
  const std::size_t from = start + key.size(), to = text.find(']', from);
  return bench.assemble(text.replace(from, to - from, fmt::format("{}, {}, {}", value.x, value.y, value.z)), complaint);
}

/// Twists that the joint allows as drawn, of what stands at a point, ground axes. The base body is the first of the
/// model.
std::vector<Spatial> subspace_at(const Sample& sample, const Vec3& point) {
  const JointData& joint = tested_joint(sample.view());
  Numbers q(joint.nq), v(joint.nv);
  joint_neutral(joint, q.data());
  const JointMotion m = motion(joint, q, v);
  const Pose& base = sample.system->description().bodies[0].pose;
  const Mat3 R = rotation_matrix(base.orientation);
  const Vec3 arm = point - (base.position + R * joint.p_base);
  std::vector<Spatial> H;
  for (std::size_t k = 0; k < joint.nv; ++k) {
    const Vec3 angular = R * m.H[k].angular;
    H.push_back({angular, R * m.H[k].linear + cross(angular, arm)});
  }
  return H;
}

void see_same_span(const std::vector<Spatial>& H, const std::vector<Spatial>& other, const char* what, Measure& m) {
  Spatial T[6];
  const std::size_t rows = complement(H.data(), H.size(), T);
  m.see(0, "");
  for (std::size_t r = 0; r < rows; ++r)
    for (const Spatial& h : other) m.see(std::abs(dot(T[r], h)), what);
}

bool in_ground(const FieldSpec& field) { return field.tied_to_ground; }

void check_axes(const JointType& type, const Bench& bench, const std::vector<Sample>& samples, Checklist& list) {
  constexpr std::string_view name = "its directions are as drawn, however the frame of the base body stands";
  if (std::ranges::none_of(type.fields(), in_ground)) {
    list.unsupported(name, "no field is said to be of the ground frame (FieldSpec::tied_to_ground)");
    return;
  }
  list.claim(name, 1e-10,
             "parameters of a kernel are in F axes: define() turns directions by the transpose of "
             "rotation_matrix(instance.base.orientation)",
             [&](Measure& m) {
               for (const Sample& sample : samples) {
                 m.in_model(sample.text);
                 for (const char* const body : {"name: b0,", "name: b1,"})
                   if (const auto turned = with_list(bench, sample, body, "orientation: {rpy: [", {0.7, -0.4, 1.9}))
                     see_same_span(subspace_at(sample, {}), subspace_at(*turned, {}),
                                   "the motion that the joint allows turns with the base body's frame", m);
               }
             });
}

void check_place(const JointType& type, const Bench& bench, const std::vector<Sample>& samples, Checklist& list) {
  constexpr std::string_view name = "it acts where its position is drawn";
  const Strided<const FieldSpec> fields = type.fields();
  const auto field = std::ranges::find(fields, "position", &FieldSpec::name);
  if (field == fields.end() || field->type != FieldType::vector3 || !in_ground(*field)) {
    list.unsupported(
        name, "not applicable: no field `position` is said to be of the ground frame (FieldSpec::tied_to_ground)");
    return;
  }
  list.claim(name, 1e-10, "define() must hand the position on: definition.set_position()", [&](Measure& m) {
    const Vec3 shift{0.3, -0.5, 0.7};
    for (const Sample& sample : samples) {
      m.in_model(sample.text);
      const auto& values = sample.system->description().joints[0].fields.values;
      const Vec3 drawn = values[static_cast<std::size_t>(field - fields.begin())].vector;
      const std::string line = fmt::format("name: {},", tested);
      if (const auto moved = with_list(bench, sample, line, "position: [", drawn + shift))
        see_same_span(subspace_at(sample, drawn), subspace_at(*moved, drawn + shift),
                      "with another position the motion that the joint allows does not go there", m);
    }
  });
}

}  // namespace

void check_joint_drawing(const JointType& type, const Bench& bench, const std::vector<Sample>& samples,
                         Checklist& list) {
  check_axes(type, bench, samples, list);
  check_place(type, bench, samples, list);
}

}  // namespace polyform::host::conformance
