// Two magnets, as dipoles.
#include <array>
#include <vector>

#include "field_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::fields {
namespace {

/// The permeability of vacuum over 4π, N/A².
constexpr double permeability = 1e-7;

enum Field : std::size_t { a, b, moment_a, moment_b };
constexpr std::array specs{
    FieldSpec{.name = "a",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "where the one magnet is: a point of a body",
              .required = true},
    FieldSpec{.name = "b",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "where the other magnet is: a point of another body",
              .required = true},
    FieldSpec{.name = "moment_a",
              .type = FieldType::vector3,
              .unit = "A m^2",
              .meaning = "magnetic moment of the one, in the axes of its body, from south to north pole",
              .required = true},
    FieldSpec{.name = "moment_b",
              .type = FieldType::vector3,
              .unit = "A m^2",
              .meaning = "magnetic moment of the other, in the axes of its body",
              .required = true}};
constexpr std::array outputs{Variable{.name = "distance", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "force", .unit = "N"}, Variable{.name = "torque_a", .unit = "N m"},
                             Variable{.name = "torque_b", .unit = "N m"}};

/// With n from a to b and k = μ₀/4π:
///
///   U = k (m_a·m_b − 3 (m_a·n)(m_b·n))/r³
///   on b  F = 3k ((m_a·n) m_b + (m_b·n) m_a + (m_a·m_b) n − 5 (m_a·n)(m_b·n) n)/r⁴
///         T = m_b × B_a,  B_a = k (3 (m_a·n) n − m_a)/r³            and alike on a
class Dipoles final : public ForceBatch, public OutputSource {
 public:
  explicit Dipoles(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) pairs_.push_back({i.fields[moment_a].vector, i.fields[moment_b].vector});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pull p = pull_of(pairs_[i], in.markers[2 * i], in.markers[2 * i + 1]);
      out.wrenches[2 * i] = {p.torque_a, -p.force};
      out.wrenches[2 * i + 1] = {p.torque_b, p.force};
      out.potential_energy += p.energy;
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto& markers = in.attachments->markers;
      const Pull p = pull_of(pairs_[i], markers[2 * i], markers[2 * i + 1]);
      values[4 * i] = norm(markers[2 * i + 1].position - markers[2 * i].position);
      values[4 * i + 1] = norm(p.force);
      values[4 * i + 2] = norm(p.torque_a);
      values[4 * i + 3] = norm(p.torque_b);
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Moments {
    Vec3 a, b;  ///< body axes
  };
  struct Pull {
    Vec3 force, torque_a, torque_b;  ///< the force on b
    double energy = 0;
  };
  static Pull pull_of(const Moments& m, const MarkerMotion& a, const MarkerMotion& b) noexcept {
    Pull p;
    const Vec3 d = b.position - a.position;
    const double r = norm(d);
    if (!(r > 0)) return p;  // no direction, no force
    const Vec3 n = (1 / r) * d, ma = a.R * m.a, mb = b.R * m.b;
    const double an = dot(ma, n), bn = dot(mb, n), ab = dot(ma, mb), cube = permeability / (r * r * r);
    p.energy = cube * (ab - 3 * an * bn);
    p.force = (3 * cube / r) * (an * mb + bn * ma + (ab - 5 * an * bn) * n);
    p.torque_b = cross(mb, cube * (3 * an * n - ma));
    p.torque_a = cross(ma, cube * (3 * bn * n - mb));
    return p;
  }
  std::vector<Moments> pairs_;
};

class Magnets final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "magnets",
                                               .meaning = "two magnets, small beside their distance, in vacuum or air",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (i.markers[0].body != i.markers[1].body) return true;
    sink.report(Severity::error, number, b, "both magnets are fixed in the same body: they do nothing",
                "Attach one of them to another body.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Dipoles>(instances);
  }
};

}  // namespace

const ForceType& magnets() noexcept {
  static constexpr Magnets type;
  return type;
}

}  // namespace polyform::fields
