#include "apps/fmi/live_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "framework/diagnostics.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/expressions/formula_force.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/linearization/input_fields.hpp"

namespace polyform::fmi {

namespace {

/// A value that may become an input: a function of time in a field of the description, or a given signal.
struct Candidate {
  std::string name;
  FieldValue* field;  ///< nullptr for a signal
  std::size_t component;
  bool is_motion;
  host::GivenValue* signal = nullptr;

  TimeFunction function() const {
    if (field != nullptr) return field->functions[component];
    TimeFunction constant;
    constant.constant = signal->initial();
    return constant;
  }
};

template <class Items>
void list(Items& items, bool is_motion, std::vector<Candidate>& out) {
  for (auto& item : items) {
    if (item.type == nullptr) continue;
    const Strided<const FieldSpec> specs = item.type->fields();
    for (std::size_t f = 0; f < std::min(specs.size(), item.fields.values.size()); ++f) {
      FieldValue& field = item.fields.values[f];
      for (std::size_t k = 0; k < field.functions.size(); ++k) {
        std::string name = fmt::format("{}.{}", item.name, specs[f].name);
        if (field.functions.size() > 1) name += fmt::format("[{}]", k);
        out.push_back({std::move(name), &field, k, is_motion});
      }
    }
  }
}

void list_signals(const host::Description& model, std::vector<Candidate>& out) {
  std::set<const host::GivenValue*> known;
  const auto list = [&](const auto& items) {
    for (const auto& item : items) {
      if (item.type == nullptr) continue;
      const void* const formulas = item.type->query(host::FormulaForce::given_values);
      if (formulas == nullptr) continue;
      for (host::GivenValue* const given : static_cast<const host::FormulaForce*>(formulas)->reader().given())
        if (known.insert(given).second) out.push_back({"signal." + given->name(), nullptr, 0, false, given});
    }
  };
  list(model.forces);
  list(model.modules);
}

bool is_of_state(const Candidate& c) { return host::expressions::state_formula(c.function()) != nullptr; }
bool is_given(const Candidate& c) { return c.signal != nullptr || c.field->given; }

std::vector<Candidate> chosen(const std::vector<Candidate>& all, const std::vector<std::string>& patterns) {
  std::vector<Candidate> out;
  if (patterns.empty())
    std::ranges::copy_if(all, std::back_inserter(out),
                         [](const Candidate& c) { return is_given(c) && !is_of_state(c); });
  if (patterns.empty() || (patterns.size() == 1 && patterns[0] == "none")) return out;
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (const Candidate& c : all) {
      if (!host::names_component(pattern, c.name)) continue;
      if (is_of_state(c))
        throw host::Failure(host::Exit::bad_input,
                            fmt::format("{} cannot be an input: the model gives a formula of the state", c.name),
                            "Give the field a number in the model, or apply a second force for the input.");
      found = true;
      if (std::ranges::find(out, c.name, &Candidate::name) == out.end()) out.push_back(c);
    }
    if (found) continue;
    std::vector<std::string_view> names;
    for (const Candidate& c : all) names.push_back(c.name);
    throw host::Failure(host::Exit::bad_input, "there is no input " + host::show(pattern),
                        names.empty() ? "No element of the model has a field that takes a function of time."
                                      : host::did_you_mean(pattern, names) + "Inputs: " + host::listing(names) + ".");
  }
  return out;
}

}  // namespace

LiveFunction::LiveFunction(const TimeFunction& base) : base_(base), start_(base.is_constant() ? base.constant : 0) {
  if (base.is_constant()) base_.constant = 0;
  now_ = {start_, 0, 0};
}

TimeFunction::Value LiveFunction::given(double t) const noexcept {
  const double h = t - since_;
  return {now_.value + h * (now_.rate + 0.5 * h * now_.acceleration), now_.rate + h * now_.acceleration,
          now_.acceleration};
}

TimeFunction::Value LiveFunction::value(double t) const noexcept {
  const TimeFunction::Value value = given(t);
  if (base_.is_constant()) return value;
  const TimeFunction::Value base = base_(t);
  return {base.value + value.value, base.rate + value.rate, base.acceleration + value.acceleration};
}

std::vector<LiveInput> make_inputs(host::Description& model, const std::vector<std::string>& patterns) {
  std::vector<Candidate> all;
  list(model.forces, false, all);
  list(model.modules, false, all);
  list(model.constraints, true, all);
  list(model.joints, true, all);
  list_signals(model, all);
  std::vector<LiveInput> inputs;
  for (const Candidate& c : chosen(all, patterns)) {
    const auto live = std::make_shared<LiveFunction>(c.function());
    model.made.push_back(live);
    if (c.signal != nullptr) {
      c.signal->follow(live.get());
    } else {
      std::vector<TimeFunction>& own =
          model.functions.emplace_back(c.field->functions.begin(), c.field->functions.end());
      TimeFunction function;
      function.kind = TimeFunction::Kind::other;
      function.source = live.get();
      own[c.component] = function;
      c.field->functions = own;
    }
    inputs.push_back({c.name, live.get(), c.is_motion});
  }
  return inputs;
}

}  // namespace polyform::fmi
