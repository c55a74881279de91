// A magnet or coil in a uniform magnetic field.
#include <array>
#include <vector>

#include "field_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/time_vector.hpp"

namespace polyform::fields {
namespace {

enum Field : std::size_t { body, moment, flux_density };
constexpr std::array specs{FieldSpec{.name = "body",
                                     .type = FieldType::body,
                                     .unit = "",
                                     .meaning = "that carries the magnet or coil",
                                     .required = true},
                           FieldSpec{.name = "moment",
                                     .type = FieldType::vector3,
                                     .unit = "A m^2",
                                     .meaning = "its magnetic moment, in the axes of the body",
                                     .required = true},
                           FieldSpec{.name = "flux_density",
                                     .type = FieldType::time_functions,
                                     .unit = "T",
                                     .meaning = "of the field: [x, y, z] in ground axes",
                                     .required = true,
                                     .tied_to_ground = true}};
constexpr std::array outputs{Variable{.name = "torque", .unit = "N m"}};

/// T = m × B. The field may change, so its work on the magnet is power, without a potential.
class MagneticFields final : public ForceBatch, public OutputSource {
 public:
  explicit MagneticFields(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      magnets_.push_back({i.fields[moment].vector, TimeVector(i.fields[flux_density])});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < magnets_.size(); ++i) {
      const Vec3 torque = torque_of(magnets_[i], in.markers[i], in.time);
      out.wrenches[i].angular = torque;
      out.power += dot(torque, in.markers[i].angular_velocity);
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < magnets_.size(); ++i)
      values[i] = norm(torque_of(magnets_[i], in.attachments->markers[i], in.attachments->time));
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Magnet {
    Vec3 moment;  ///< body axes
    TimeVector field;
  };
  static Vec3 torque_of(const Magnet& magnet, const MarkerMotion& body, double t) noexcept {
    return cross(body.R * magnet.moment, magnet.field(t));
  }
  std::vector<Magnet> magnets_;
};

class MagneticField final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "magnetic-field",
                                               .meaning = "a uniform magnetic field that turns a magnet or coil",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (is_ground(i.markers[0].body))
      sink.report(Severity::warning, number, body, "the magnet is fixed in ground: the field moves nothing",
                  "Name a body that can move.");
    return check_time_vector(i.fields[flux_density], specs[flux_density], number, flux_density, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<MagneticFields>(instances);
  }
};

}  // namespace

const ForceType& magnetic_field() noexcept {
  static constexpr MagneticField type;
  return type;
}

}  // namespace polyform::fields
