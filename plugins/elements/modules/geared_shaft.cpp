// A shaft that meshes with two joints: J ω̇ = −c ω + λ₁ + λ₂, ω = n₁ v₁ = n₂ v₂, and φ = n₁ q₁ = n₂ q₂.
#include <array>
#include <vector>

#include "module_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::modules {
namespace {

enum Field : std::size_t { joint, other_joint, ratio, other_ratio, inertia, friction };
constexpr std::array specs{FieldSpec{.name = "joint",
                                     .type = FieldType::joint,
                                     .unit = "",
                                     .meaning = "the joint on one side, with one coordinate",
                                     .required = true},
                           FieldSpec{.name = "other_joint",
                                     .type = FieldType::joint,
                                     .unit = "",
                                     .meaning = "the joint on the other side, with one coordinate",
                                     .required = true},
                           FieldSpec{.name = "ratio",
                                     .unit = "rad/rad or rad/m",
                                     .meaning = "turn of the shaft per coordinate of the joint, not zero",
                                     .default_text = "1"},
                           FieldSpec{.name = "other_ratio",
                                     .unit = "rad/rad or rad/m",
                                     .meaning = "turn of the shaft per coordinate of the other joint, not zero",
                                     .default_text = "1"},
                           FieldSpec{.name = "inertia",
                                     .unit = "kg m^2",
                                     .meaning = "of the shaft and its wheels about its axis",
                                     .default_text = "0",
                                     .minimum = 0},
                           FieldSpec{.name = "friction",
                                     .unit = "N m s/rad",
                                     .meaning = "viscous friction of the shaft in its bearings",
                                     .default_text = "0",
                                     .minimum = 0}};

constexpr Variable variable_names[] = {{"speed", "rad/s"}};
constexpr Variable state_names[] = {{.name = "angle", .unit = "rad", .integral_of = 0}};
constexpr Variable row_names[] = {{.name = "torque", .unit = "N m", .holonomic = true},
                                  {.name = "other_torque", .unit = "N m", .holonomic = true}};

class GearedShafts final : public ModuleBatch {
 public:
  explicit GearedShafts(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      shafts_.push_back({{i.fields[ratio].number, i.fields[other_ratio].number},
                         i.fields[inertia].number,
                         i.fields[friction].number});
  }
  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t i = 0; i < shafts_.size(); ++i) {
      const Shaft& shaft = shafts_[i];
      const double speed = in.u[i], angle = in.x[i];
      out.M[i] = shaft.inertia;
      out.f[i] = -shaft.friction * speed;
      for (std::size_t side = 0; side < 2; ++side) {
        const std::size_t row = 2 * i + side;
        out.A[row] = 1;
        out.B[4 * i + 3 * side] = -shaft.ratio[side];  // row `side`, joint `side`
        out.residual[row] = angle - shaft.ratio[side] * in.attachments->q[row];
      }
      out.xdot[i] = speed;
      out.kinetic_energy += 0.5 * shaft.inertia * speed * speed;
      out.power -= shaft.friction * speed * speed;
    }
  }
  /// At rest and as drawn; the host moves both to what the joints ask for.
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override {
    for (std::size_t i = 0; i < shafts_.size(); ++i) u[i] = x[i] = 0;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Shaft {
    double ratio[2], inertia, friction;
  };
  std::vector<Shaft> shafts_;
};

class GearedShaft final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "geared-shaft",
        .meaning = "shaft with inertia and friction that gears two joints together",
        .fields = specs,
        .variables = variable_names,
        .states = state_names,
        .rows = row_names};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    for (const auto& [field, shape] : {std::pair{joint, i.joints[0]}, std::pair{other_joint, i.joints[1]}})
      if (shape.nv != 1 || shape.nq != 1 || shape.code_defined) {
        sink.report(Severity::error, number, field,
                    "a wheel meshes with a joint of one coordinate, whose rate is its velocity",
                    "Name a revolute or prismatic joint.");
        return false;
      }
    for (const Field field : {ratio, other_ratio})
      if (i.fields[field].number == 0) {
        sink.report(Severity::error, number, field, "a gear with the ratio 0 lets the joint move on its own",
                    "Give the turn of the shaft per joint coordinate, 1 where shaft and joint turn together.");
        return false;
      }
    return true;
  }
  ModuleBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<GearedShafts>(instances);
  }
};

}  // namespace

const ModuleType& geared_shaft() noexcept {
  static constexpr GearedShaft type;
  return type;
}

}  // namespace polyform::modules
