#include "implicit_types.hpp"

#include "radau5.hpp"

namespace polyform::implicit {

namespace {

class Radau5Type final : public IntegratorType {
 public:
  std::string_view name() const noexcept override { return "radau5"; }
  std::string_view meaning() const noexcept override {
    return "adaptive Radau IIA method of order 5, for stiff systems and tight tolerances";
  }
  std::string_view source() const noexcept override {
    return "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd ed. (1996), IV.8";
  }
  Strided<const FieldSpec> fields() const noexcept override { return {}; }
  int order() const noexcept override { return 5; }
  bool fixed_step() const noexcept override { return false; }
  int preference() const noexcept override { return 60; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue>,
                     DiagnosticSink&) const noexcept override {
    return make_batch<Radau5>(system, settings);
  }
};

}  // namespace

const IntegratorType& radau5() noexcept {
  static constexpr Radau5Type type;
  return type;
}

}  // namespace polyform::implicit
