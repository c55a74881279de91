// The gravity of a planet on a body, to the second order in the size of the body.
#include <array>
#include <vector>

#include "field_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::fields {
namespace {

enum Field : std::size_t { body, center, parameter };
constexpr std::array specs{
    FieldSpec{.name = "body",
              .type = FieldType::body,
              .unit = "",
              .meaning = "what is attracted, at its mass centre",
              .required = true},
    FieldSpec{.name = "center",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the centre of the attracting sphere: a point of another body or of ground",
              .required = true},
    FieldSpec{.name = "parameter",
              .type = FieldType::number,
              .unit = "m^3/s^2",
              .meaning = "gravitational constant times mass of the sphere; of the earth 3.986e14",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true}};
constexpr std::array outputs{Variable{.name = "distance", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "force", .unit = "N"}, Variable{.name = "torque", .unit = "N m"}};

/// With r from the centre to the mass centre, n = r/r, and the inertia I about the mass centre (MacCullagh's formula):
///
///   U = −μ m/r − μ (tr I − 3 n·I n)/(2 r³)
///   F = −μ m n/r² − 3 μ ((tr I − 5 n·I n) n + 2 I n)/(2 r⁴)        T = 3 μ n × I n/r³
class CentralGravities final : public ForceBatch, public OutputSource {
 public:
  explicit CentralGravities(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) pulls_.push_back({i.fields[parameter].number, i.inertias[0]});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      const Pull p = pull_of(pulls_[i], in.markers[2 * i], in.markers[2 * i + 1]);
      out.wrenches[2 * i] = {p.torque + cross(p.center_of_mass - in.markers[2 * i].position, p.force), p.force};
      out.wrenches[2 * i + 1].linear = -p.force;
      out.potential_energy += p.energy;
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      const auto& markers = in.attachments->markers;
      const Pull p = pull_of(pulls_[i], markers[2 * i], markers[2 * i + 1]);
      values[3 * i] = norm(p.center_of_mass - markers[2 * i + 1].position);
      values[3 * i + 1] = norm(p.force);
      values[3 * i + 2] = norm(p.torque);
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Attracted {
    double parameter;
    BodyInertia inertia;
  };
  struct Pull {
    Vec3 center_of_mass, force, torque;
    double energy = 0;
  };
  static Pull pull_of(const Attracted& one, const MarkerMotion& body, const MarkerMotion& center) noexcept {
    Pull p;
    p.center_of_mass = body.position + body.R * one.inertia.center_of_mass;
    const Vec3 r = p.center_of_mass - center.position;
    const double distance = norm(r);
    if (!(distance > 0)) return p;  // no direction, no force
    const Vec3 n = (1 / distance) * r;
    const Sym3& I = one.inertia.inertia;
    const Vec3 In = body.R * (I * transpose_times(body.R, n));
    const double trace = I.xx + I.yy + I.zz, along = dot(n, In), mu = one.parameter, m = one.inertia.mass;
    const double r2 = distance * distance, r3 = r2 * distance;
    p.energy = -mu * m / distance - mu * (trace - 3 * along) / (2 * r3);
    p.force = (-mu * m / r2) * n - (1.5 * mu / (r2 * r2)) * ((trace - 5 * along) * n + 2 * In);
    p.torque = (3 * mu / r3) * cross(n, In);
    return p;
  }
  std::vector<Attracted> pulls_;
};

class CentralGravity final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "central-gravity",
        .meaning = "the gravity of a sphere on a body, with its gradient over the body",
        .fields = specs,
        .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (is_ground(i.markers[0].body)) {
      sink.report(Severity::error, number, body, "ground has no mass that could be attracted", "Name a body.");
      return false;
    }
    if (i.markers[0].body == i.markers[1].body) {
      sink.report(Severity::error, number, center, "the body attracts itself", "Name another body, or ground.");
      return false;
    }
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<CentralGravities>(instances);
  }
};

}  // namespace

const ForceType& central_gravity() noexcept {
  static constexpr CentralGravity type;
  return type;
}

}  // namespace polyform::fields
