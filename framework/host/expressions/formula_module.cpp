#include "framework/host/expressions/formula_module.hpp"

#include <fmt/format.h>

#include <cmath>

#include "framework/host/expressions/formula_module_batch.hpp"
#include "framework/host/expressions/shifted_sink.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::host::inline expressions {

namespace {

/// A formula's place in a field, with a value; it has derivatives in time only if somebody knows them.
class Probe final : public TimeFunction::Source {
 public:
  bool is_known = true;
  TimeFunction::Value value(double) const noexcept override {
    return is_known ? TimeFunction::Value{1, 0, 0} : TimeFunction::Value{1, no_number, no_number};
  }
  double next_knot(double) const noexcept override { return never; }
  double shortest_time() const noexcept override { return never; }
};

/// The modules with probes in the place of formulas, in the drawn position.
class Trial {
 public:
  Trial(const FormulaModule& type, const ElementInstance& whole) : type_(type), instance_(type.modules_of(whole)) {
    for (const FieldValue& field : instance_.fields) fields_.push_back(field);
    const std::size_t first = type.formulas().fields().size();
    for (const FormulaForce::Use& use : type.formulas().uses()) {
      if (use.field < first) continue;
      FieldValue& field = fields_[use.field - first];
      std::vector<TimeFunction>& copy = functions_.emplace_back(field.functions.begin(), field.functions.end());
      copy[use.component].source = &probes_.emplace_back(std::size_t{use.field}, Probe{}).second;
      field.functions = copy;
    }
    instance_.fields = Strided<const FieldValue>(fields_.data(), fields_.size());
    for (std::size_t k = 0; k < instance_.markers.size(); ++k) {
      const Mat3 R = rotation_matrix(instance_.drawn[k].orientation);
      markers_.push_back({R, instance_.drawn[k].position + R * instance_.markers[k].point, {}, {}});
    }
    for (const JointShape& shape : instance_.joints) {
      for (std::size_t k = 0; k < shape.nq; ++k) q_.push_back(shape.nq == 4 && k == 0 ? 1 : 0);
      v_.resize(v_.size() + shape.nv, 0.1);
    }
  }

  /// The field of a formula whose derivative in time a module asks for; none of them: fields().size() of the whole.
  std::size_t differentiated() {
    std::size_t found = type_.fields().size();
    ModuleBatch* const batch = type_.modules().create({&instance_, 1});
    if (batch == nullptr) return found;
    if (is_finite(*batch))
      for (auto& [field, probe] : probes_) {
        probe.is_known = false;
        if (!is_finite(*batch)) found = field;
        probe.is_known = true;
      }
    batch->destroy();
    return found;
  }

 private:
  bool is_finite(ModuleBatch& batch) {
    const TypeDescriptor& of = type_.modules().descriptor();
    const std::size_t u = of.variables.size(), rows = of.rows.size(), m = markers_.size();
    std::vector<double> us(u), xs(of.states.size()), M(u * u), f(u), A(rows * u), B(rows * v_.size()), velocity(rows),
        acceleration(rows), efforts(v_.size()), xdot(xs.size()), residual(rows);
    std::vector<Spatial> C(rows * m), wrenches(m);
    std::vector<std::int32_t> discrete(of.discrete.size());
    batch.initial_state(us, xs);
    if (auto* const with = ask<DiscreteElement>(batch)) with->initial_values(discrete);
    const ForceInput at{
        .markers = Strided<const MarkerMotion>(markers_.data(), m), .q = q_, .v = v_, .discrete = discrete};
    ModuleOutput out;
    out.M = M;
    out.f = f;
    out.A = A;
    out.C = C;
    out.B = B;
    out.velocity_right = velocity;
    out.acceleration_right = acceleration;
    out.wrenches = wrenches;
    out.efforts = efforts;
    out.xdot = xdot;
    out.residual = residual;
    batch.evaluate({.attachments = &at, .u = us, .x = xs}, out);
    double sum = 0;
    for (const auto* all : {&M, &f, &A, &B, &velocity, &acceleration, &efforts, &xdot, &residual})
      for (const double one : *all) sum += 0 * one;
    for (const auto* all : {&C, &wrenches})
      for (const Spatial& one : *all) sum += 0 * (dot(one.angular, one.angular) + dot(one.linear, one.linear));
    return sum == 0;
  }

  const FormulaModule& type_;
  ElementInstance instance_;
  std::vector<FieldValue> fields_;
  std::deque<std::vector<TimeFunction>> functions_;
  std::deque<std::pair<std::size_t, Probe>> probes_;
  std::vector<MarkerMotion> markers_;
  std::vector<double> q_, v_;
};

}  // namespace

FormulaModule::FormulaModule(std::unique_ptr<const FormulaForce> formulas, const ModuleType& modules, Names names,
                             std::string_view name)
    : formulas_(std::move(formulas)), modules_(modules), names_in_full_(names != Names::own) {
  own_.fields = formulas_->fields().size();
  own_.markers = formulas_->bodies().size();
  own_.joints = formulas_->joints().size();
  for (const FormulaForce::Part& part : formulas_->parts()) {
    own_.markers += part.markers;
    own_.joints += part.joints;
  }
  describe(names, name);
}

void FormulaModule::describe(Names names, std::string_view name) {
  const TypeDescriptor &formulas = formulas_->descriptor(), &modules = modules_.descriptor();
  const auto add = [&]<class T>(Strided<const T> from, std::vector<T>& to, bool named) {
    for (T one : from) {
      if (named && names == Names::with_prefix) one.name = names_.emplace_back(fmt::format("{}.{}", name, one.name));
      to.push_back(one);
    }
  };
  add(formulas.fields, fields_, false);
  add(modules.fields, fields_, false);
  add(modules.variables, variables_, true);
  add(formulas.states, states_, false);
  add(modules.states, states_, true);
  add(modules.rows, rows_, true);
  add(formulas.outputs, outputs_, false);
  add(modules.outputs, outputs_, true);
  add(formulas.discrete, discrete_, false);
  add(modules.discrete, discrete_, true);
  descriptor_.name = names == Names::own ? modules.name : std::string_view("signals");
  descriptor_.meaning = "modules that follow formulas of the state";
  descriptor_.fields = fields_;
  descriptor_.variables = variables_;
  descriptor_.states = states_;
  descriptor_.rows = rows_;
  descriptor_.outputs = outputs_;
  descriptor_.discrete = discrete_;
}

ElementInstance FormulaModule::formulas_of(const ElementInstance& whole) const { return own_instance(own_, whole); }

ElementInstance FormulaModule::modules_of(const ElementInstance& whole) const {
  return own_instance({.field = own_.fields,
                       .fields = whole.fields.size() - own_.fields,
                       .marker = own_.markers,
                       .markers = whole.markers.size() - own_.markers,
                       .joint = own_.joints,
                       .joints = whole.joints.size() - own_.joints},
                      whole);
}

bool FormulaModule::define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept {
  try {
    ElementInstance formulas = formulas_of(instance), modules = modules_of(instance);
    ShiftedSink of_modules(sink, own_.fields);
    const bool good = modules_.define(modules, number, of_modules);
    if (!formulas_->define(formulas, number, sink) || !good) return false;
    const std::size_t field = Trial(*this, instance).differentiated();
    if (field == fields_.size()) return true;
    sink.report(Severity::error, number, field,
                "a formula of the state cannot stand here: the module differentiates it in time, and that would hold "
                "accelerations",
                "Give a function of time alone.");
    return false;
  } catch (...) {
    sink.report(Severity::error, number, 0, "memory does not suffice for the formulas", "Use fewer of them.");
    return false;
  }
}

ModuleBatch* FormulaModule::create(Strided<const ElementInstance> instances) const noexcept {
  return instances.size() == 1 ? make_batch<FormulaModuleBatch>(*this, instances[0]) : nullptr;
}

}  // namespace polyform::host::inline expressions
