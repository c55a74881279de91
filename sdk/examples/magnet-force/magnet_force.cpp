#include "magnet_force.hpp"

#include <array>
#include <vector>

#include "polyform/helpers/element_helpers.hpp"

namespace example {
namespace {

using namespace polyform;

/// μ0 / 4π, N/A².
constexpr double field_constant = 1e-7;

enum Field : std::size_t { a, b, moment_a, moment_b };
constexpr std::array specs{FieldSpec{.name = "a",
                                     .type = FieldType::marker,
                                     .unit = "",
                                     .meaning = "place of one dipole: a point of a body",
                                     .required = true},
                           FieldSpec{.name = "b",
                                     .type = FieldType::marker,
                                     .unit = "",
                                     .meaning = "place of the other: a point of another body",
                                     .required = true},
                           FieldSpec{.name = "moment_a",
                                     .type = FieldType::vector3,
                                     .unit = "A m²",
                                     .meaning = "dipole moment at a, in the axes of its body",
                                     .required = true},
                           FieldSpec{.name = "moment_b",
                                     .type = FieldType::vector3,
                                     .unit = "A m²",
                                     .meaning = "dipole moment at b, in the axes of its body",
                                     .required = true}};

struct Pair {
  Vec3 moment_a, moment_b;  ///< body axes
};

/// With r from a to b, e = r/|r|, moments m and n in ground axes (Jackson, Classical Electrodynamics, Sects. 5.6, 5.7):
///
///   U = k (m·n − 3 (m·e)(n·e)) / r³
///   force on b   F = 3 k ((m·e) n + (n·e) m + (m·n) e − 5 (m·e)(n·e) e) / r⁴
///   moments      n × B(at b),  m × B(at a),  B of m at e: k (3 (m·e) e − m) / r³
class MagnetPairs final : public ForceBatch {
 public:
  explicit MagnetPairs(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) pairs_.push_back({i.fields[moment_a].vector, i.fields[moment_b].vector});
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const MarkerMotion &from = in.markers[2 * i], &to = in.markers[2 * i + 1];
      const Vec3 r = to.position - from.position;
      const double distance = norm(r);
      if (distance == 0) continue;  // no direction, no force
      const Vec3 e = (1 / distance) * r, m = from.R * pairs_[i].moment_a, n = to.R * pairs_[i].moment_b;
      const double me = dot(m, e), ne = dot(n, e), mn = dot(m, n);
      const double k = field_constant / (distance * distance * distance);
      const Vec3 force = (3 * k / distance) * (me * n + ne * m + (mn - 5 * me * ne) * e);
      out.wrenches[2 * i] = {cross(m, k * (3 * ne * e - n)), -force};
      out.wrenches[2 * i + 1] = {cross(n, k * (3 * me * e - m)), force};
      out.potential_energy += k * (mn - 3 * me * ne);
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Pair> pairs_;
};

class MagnetForce final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "magnet", .meaning = "two magnetic dipoles, each fixed in a body", .fields = specs};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.markers[0].body != instance.markers[1].body) return true;
    sink.report(Severity::error, number, b, "both dipoles are fixed in the same body: they do nothing",
                "Attach one of them to another body.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<MagnetPairs>(instances);
  }
};

}  // namespace

const ForceType& magnet_force() noexcept {
  static constexpr MagnetForce type;
  return type;
}

}  // namespace example
