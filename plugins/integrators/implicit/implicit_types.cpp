#include "implicit_types.hpp"

#include <new>

#include "auto_method.hpp"
#include "generalized_alpha.hpp"
#include "plugins/integrators/runge_kutta/runge_kutta.hpp"
#include "radau5.hpp"

namespace polyform::implicit {

namespace {

void report_no_memory(std::string_view integrator, DiagnosticSink& sink) noexcept {
  sink.report({.message = Message("{} could not be set up", integrator), .remedy = "perhaps memory ran out"});
}

/// The system's own Newton matrix or a full one; nullptr after a report.
std::unique_ptr<Newton> structured_or_full(std::string_view integrator, FirstOrderSystem& system,
                                           const StepSettings& settings, DiagnosticSink& sink) {
  auto newton = newton_for(system, settings);
  if (!newton)
    sink.report({.message = Message("{} would need a full matrix of {} states: the solver has no Newton matrix of its "
                                    "own for this model",
                                    integrator, system.size()),
                 .remedy = "choose the solver riccati or reduced, which have one for models without modules, or the "
                           "integrator cvode-bdf, which does without"});
  return newton;
}

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
      if (auto newton = structured_or_full(name(), system, settings, sink))
        return new Radau5(system, settings, std::move(newton));
    } catch (const std::bad_alloc&) {
      report_no_memory(name(), sink);
    }
    return nullptr;
  }
};

class GeneralizedAlphaType final : public IntegratorType {
 public:
  std::string_view name() const noexcept override { return "generalized-alpha"; }
  std::string_view meaning() const noexcept override {
    return "implicit method of order 2 on Lie groups, for stiff systems; damps what steps do not resolve";
  }
  std::string_view source() const noexcept override {
    return "M. Arnold, O. Br\u00fcls, A. Cardona, Numer. Math. 129 (2015) 149-179; J. Chung, G. M. Hulbert, "
           "J. Appl. Mech. 60 (1993) 371-375";
  }
  Strided<const FieldSpec> fields() const noexcept override { return fields_; }
  int order() const noexcept override { return 2; }
  bool fixed_step() const noexcept override { return false; }
  int preference() const noexcept override { return 20; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue> options,
                     DiagnosticSink& sink) const noexcept override {
    try {
      if (auto newton = structured_or_full(name(), system, settings, sink))
        return new GeneralizedAlpha(system, settings, std::move(newton), options[rho_infinity].number,
                                    options[fixed_steps].integer != 0);
    } catch (const std::bad_alloc&) {
      report_no_memory(name(), sink);
    }
    return nullptr;
  }

 private:
  enum Option : std::size_t { rho_infinity, fixed_steps };
  const FieldSpec fields_[2] = {
      {.name = "rho_infinity",
       .type = FieldType::number,
       .unit = "",
       .meaning = "what is left after a step of vibrations much faster than it: 0 nothing, 1 all, the energy kept",
       .default_text = "0.8",
       .minimum = 0,
       .maximum = 1},
      {.name = "fixed_step",
       .type = FieldType::boolean,
       .unit = "",
       .meaning = "every step is --step; the tolerances then tell only when Newton's iteration ends",
       .default_text = "false"}};
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
    return "dop853 or dopri5, and radau5 where the system is stiff; tells what it chose and why";
  }
  std::string_view source() const noexcept override {
    return "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd ed. (1996), IV.2";
  }
  Strided<const FieldSpec> fields() const noexcept override { return {}; }
  int order() const noexcept override { return 8; }
  bool fixed_step() const noexcept override { return false; }
  int preference() const noexcept override { return 50; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue>,
                     DiagnosticSink& sink) const noexcept override {
    // Along the axis of vibrations the methods are stable up to about 2 and 1, along that of decays up to 6 and 3.3.
    ExplicitMethod high{Owned(runge_kutta::dop853().create(system, settings, {}, sink)), 12, 3, 1.1, 1.8},
        low{Owned(runge_kutta::dopri5().create(system, settings, {}, sink)), 6, 0, 0.55, 0.9};
    if (!high.steps || !low.steps) return nullptr;
    FirstReport without;
    try {
      auto newton = structured_or_full(radau5().name(), system, settings, without);
      const Newton* const kept = newton.get();
      std::unique_ptr<ExplicitPair, DestroyIntegrator> explicitly(
          new ExplicitPair(std::move(high), std::move(low), settings.max_step));
      Owned implicitly(newton ? new Radau5(system, settings, std::move(newton)) : nullptr);
      return new AutoMethod(system, std::move(explicitly), std::move(implicitly), kept, without.why.text());
    } catch (const std::bad_alloc&) {
      report_no_memory(name(), sink);
    }
    return nullptr;
  }

 private:
  using Owned = std::unique_ptr<Integrator, DestroyIntegrator>;
};

}  // namespace

const IntegratorType& automatic() noexcept {
  static constexpr AutoType type;
  return type;
}

const IntegratorType& generalized_alpha() noexcept {
  static constexpr GeneralizedAlphaType type;
  return type;
}

const IntegratorType& radau5() noexcept {
  static constexpr Radau5Type type;
  return type;
}

}  // namespace polyform::implicit
