#include "framework/workbench/conformance/lagging_damper.hpp"

#include <array>
#include <vector>

#include "polyform/helpers/element_helpers.hpp"

namespace polyform::host::inline conformance {

namespace {

enum Field : std::size_t { a, b, damping, lag };
constexpr std::array specs{
    FieldSpec{.name = "a", .type = FieldType::marker, .unit = "", .meaning = "one end", .required = true},
    FieldSpec{.name = "b", .type = FieldType::marker, .unit = "", .meaning = "the other end", .required = true},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m",
              .meaning = "force per rate, in the long run",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "lag",
              .type = FieldType::number,
              .unit = "s",
              .meaning = "time constant",
              .required = true,
              .minimum = 0.1}};

class Batch final : public ForceBatch {
 public:
  explicit Batch(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) dampers_.push_back({i.fields[damping].number, i.fields[lag].number});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < dampers_.size(); ++i) {
      const MarkerMotion &from = in.markers[2 * i], &to = in.markers[2 * i + 1];
      const double F = in.states[i], length = norm(to.position - from.position);
      out.state_rates[i] = -F / dampers_[i].lag;
      if (length == 0) continue;
      const Vec3 along = (1 / length) * (to.position - from.position);
      const double rate = dot(along, to.velocity - from.velocity);
      out.state_rates[i] += dampers_[i].damping * rate / dampers_[i].lag;
      out.wrenches[2 * i].linear = F * along;
      out.wrenches[2 * i + 1].linear = -F * along;
      out.power -= F * rate;
    }
  }
  void initial_states(std::span<double> states) const noexcept override {
    for (double& F : states) F = 1;  // N; with none the force would not show at the start
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Damper {
    double damping, lag;
  };
  std::vector<Damper> dampers_;
};

constexpr Variable state_names[] = {{.name = "force", .unit = "N"}};

class LaggingDamper final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "lagging-damper", .meaning = "a damper whose force comes late", .fields = specs, .states = state_names};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Batch>(instances);
  }
};

}  // namespace

const ForceType& lagging_damper() noexcept {
  static constexpr LaggingDamper type;
  return type;
}

}  // namespace polyform::host::conformance
