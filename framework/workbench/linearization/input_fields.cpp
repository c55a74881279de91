#include "framework/workbench/linearization/input_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "framework/diagnostics.hpp"
#include "framework/host/columns/columns.hpp"
#include "framework/host/evaluation/joint_units.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::host::inline linearization {
namespace {

template <class Group>
void list_fields(const SystemView& view, Strided<const Group> groups, InputField::Of of, double t,
                 std::vector<InputField>& out) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<const JointData*> joints = joint_of_each(view, groups[g]);
    for (std::size_t i = 0; i < groups[g].instances.size(); ++i) {
      const Strided<const FieldSpec> specs = groups[g].type->fields();
      for (std::size_t f = 0; f < specs.size(); ++f) {
        const FieldValue& value = groups[g].instances[i].fields[f];
        const std::string name = fmt::format("{}.{}", groups[g].names[i], specs[f].name);
        const std::string_view unit = unit_at_joint(specs[f].unit, joints[i], 0);
        const InputField field{name, unit, value.number, false, value.given, of, g, i, f, 0};
        if (specs[f].type == FieldType::number && (value.given || !specs[f].default_text.empty())) out.push_back(field);
        const std::size_t numbers = specs[f].type == FieldType::numbers ? value.numbers.size() : 0;
        for (std::size_t k = 0; k < value.functions.size() + numbers; ++k) {
          InputField& part = out.emplace_back(field);
          if (value.functions.size() + numbers > 1) part.name += fmt::format("[{}]", k);
          part.of_time = numbers == 0;
          part.value = part.of_time ? value.functions[k](t).value : value.numbers[k];
          if (std::isnan(part.value)) part.value = 0;  // of a formula of the state: what is added to it
          part.component = k;
          part.unit = unit_at_joint(specs[f].unit, joints[i], k);
        }
      }
    }
  }
}

/// f + offset at all times.
TimeFunction shifted(const TimeFunction& f, double offset, std::vector<double>& table) {
  using Kind = TimeFunction::Kind;
  TimeFunction out = f;
  table.assign(f.data.begin(), f.data.end());
  const auto shift_every = [&](std::size_t stride) {
    for (std::size_t k = 1; k < table.size(); k += stride) table[k] += offset;
  };
  switch (f.kind) {
    case Kind::constant: out.constant += offset; break;
    case Kind::polynomial: table.empty() ? table.push_back(offset) : void(table[0] += offset); break;
    case Kind::sine: out.offset += offset; break;
    case Kind::ramp: {
      // A table has an end. No point of operation is later than thirty years after the start of the ramp.
      constexpr double endless = 1e9;  // s
      const double end = std::min(f.end, f.start + endless);
      out.kind = Kind::linear_table;
      table = {f.start, offset, end, f.rate * (end - f.start) + offset};
      break;
    }
    case Kind::linear_table: shift_every(2); break;
    case Kind::cubic_table: shift_every(3); break;
    case Kind::other:  // set() gives it a source of its own
      break;
  }
  out.data = table;
  return out;
}

/// The copy of a list that is pointed to, made where it is not one already.
template <class Part>
std::vector<std::remove_const_t<typename Part::element_type>>& own(
    Part& part, std::deque<std::vector<std::remove_const_t<typename Part::element_type>>>& copies) {
  using T = std::remove_const_t<typename Part::element_type>;
  for (std::vector<T>& known : copies)
    if (!part.empty() && known.data() == &part.front()) return known;
  std::vector<T>& copy = copies.emplace_back(part.begin(), part.end());
  part = copy;
  return copy;
}

}  // namespace

bool names_component(std::string_view pattern, std::string_view name) {
  return matches(pattern, name) || (name.ends_with(']') && matches(pattern, name.substr(0, name.rfind('['))));
}

std::vector<InputField> input_fields(const SystemView& view, double t) {
  std::vector<InputField> all;
  list_fields(view, view.forces, InputField::Of::force, t, all);
  list_fields(view, view.constraints, InputField::Of::constraint, t, all);
  list_fields(view, view.modules, InputField::Of::module, t, all);
  return all;
}

std::vector<InputField> select_inputs(const std::vector<InputField>& all, const std::vector<std::string>& patterns) {
  std::vector<InputField> out;
  if (patterns.empty())
    std::copy_if(all.begin(), all.end(), std::back_inserter(out),
                 [](const InputField& i) { return i.of_time && i.given; });
  if (patterns.empty() || (patterns.size() == 1 && patterns[0] == "none")) return out;
  std::set<std::string> taken;
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (const InputField& input : all) {
      if (!names_component(pattern, input.name)) continue;
      found = true;
      if (taken.insert(input.name).second) out.push_back(input);
    }
    if (found || pattern == "*") continue;
    std::vector<std::string_view> names;
    for (const InputField& input : all) names.push_back(input.name);
    throw Failure(Exit::bad_input, "there is no input " + show(pattern),
                  names.empty() ? "The model has no force, constraint or module with a field that could be one."
                                : did_you_mean(pattern, names) + "Inputs: " + listing(names) + ".");
  }
  return out;
}

VariedView::VariedView(const SystemView& original, std::span<const InputField> inputs)
    : view_(original),
      forces_(original.forces.begin(), original.forces.end()),
      constraints_(original.constraints.begin(), original.constraints.end()),
      modules_(original.modules.begin(), original.modules.end()) {
  for (const InputField& input : inputs) switch (input.of) {
      case InputField::Of::force: add(forces_, original.forces, input); break;
      case InputField::Of::constraint: add(constraints_, original.constraints, input); break;
      case InputField::Of::module: add(modules_, original.modules, input); break;
    }
  view_.forces = forces_;
  view_.constraints = constraints_;
  view_.modules = modules_;
}

template <class Group>
void VariedView::add(std::vector<Group>& groups, Strided<const Group> original, const InputField& input) {
  const FieldValue& model = original[input.group].instances[input.instance].fields[input.field];
  ElementInstance& instance = own(groups[input.group].instances, instances_)[input.instance];
  FieldValue& value = own(instance.fields, fields_)[input.field];
  if (input.of_time) {
    const TimeFunction& f = model.functions[input.component];
    inputs_.push_back({0, nullptr, &f, &own(value.functions, functions_)[input.component], {}});
    if (f.kind == TimeFunction::Kind::other)
      inputs_.back().shifted_source = std::make_unique<expressions::ShiftedFunction>(f);
  } else if (!model.numbers.empty()) {
    inputs_.push_back(
        {model.numbers[input.component], &own(value.numbers, numbers_)[input.component], nullptr, nullptr, {}});
  } else {
    inputs_.push_back({model.number, &value.number, nullptr, nullptr, {}});
  }
}

void VariedView::set(std::span<const double> offsets) {
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    Input& input = inputs_[k];
    if (input.shifted_source) {
      input.shifted_source->offset = offsets[k];
      input.varied_function->source = input.shifted_source.get();
    } else if (input.varied_function != nullptr) {
      *input.varied_function = shifted(*input.function, offsets[k], input.table);
    } else {
      *input.varied_number = input.number + offsets[k];
    }
  }
}

}  // namespace polyform::host::linearization
