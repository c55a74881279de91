#include "implicit_types.hpp"

#include <new>

#include "auto_method.hpp"
#include "plugins/integrators/runge_kutta/runge_kutta.hpp"
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
                     DiagnosticSink& sink) const noexcept override {
    try {
      if (auto newton = newton_for(system, settings)) return new Radau5(system, settings, std::move(newton));
      sink.report({.message = Message("radau5 would need a full matrix of {} states: the solver has no Newton matrix of "
                                      "its own for this model",
                                      system.size()),
                   .remedy = "choose the solver riccati or reduced, which have one for rigid bodies, or the integrator "
                             "cvode-bdf, which does without"});
    } catch (const std::bad_alloc&) {
      sink.report({.message = "radau5 could not be set up", .remedy = "perhaps memory ran out"});
    }
    return nullptr;
  }
};

/// Keeps the first report.
class FirstReport final : public DiagnosticSink {
 public:
  void report(const Diagnostic& diagnostic) noexcept override {
    if (why.text().empty()) why.say(diagnostic.message);
  }
  Sentence why;
};

class AutoType final : public IntegratorType {
 public:
  std::string_view name() const noexcept override { return "auto"; }
  std::string_view meaning() const noexcept override {
    return "dopri5, and radau5 where the system is stiff; tells what it chose and why";
  }
  std::string_view source() const noexcept override {
    return "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd ed. (1996), IV.2";
  }
  Strided<const FieldSpec> fields() const noexcept override { return {}; }
  int order() const noexcept override { return 5; }
  bool fixed_step() const noexcept override { return false; }
  int preference() const noexcept override { return 50; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue>,
                     DiagnosticSink& sink) const noexcept override {
    AutoMethod::Owned one(runge_kutta::dopri5().create(system, settings, {}, sink));
    if (!one) return nullptr;
    FirstReport without;
    AutoMethod::Owned other(radau5().create(system, settings, {}, without));
    return make_batch<AutoMethod>(system, std::move(one), std::move(other), without.why.text());
  }
};

}  // namespace

const IntegratorType& automatic() noexcept {
  static constexpr AutoType type;
  return type;
}

const IntegratorType& radau5() noexcept {
  static constexpr Radau5Type type;
  return type;
}

}  // namespace polyform::implicit
