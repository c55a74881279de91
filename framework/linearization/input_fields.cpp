#include "framework/linearization/input_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "framework/diagnostics.hpp"
#include "framework/reading/report.hpp"

namespace polyform::host {
namespace {

template <class Group>
void list_fields(std::span<const Group> groups, bool of_constraint, double t, std::vector<InputField>& out) {
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = 0; i < groups[g].instances.size(); ++i) {
      const std::span<const FieldSpec> specs = groups[g].type->fields();
      for (std::size_t f = 0; f < specs.size(); ++f) {
        const FieldValue& value = groups[g].instances[i].fields[f];
        const std::string name = fmt::format("{}.{}", groups[g].names[i], specs[f].name);
        const InputField field{name, specs[f].unit, value.number, false, value.given, of_constraint, g, i, f, 0};
        if (specs[f].type == FieldType::number && (value.given || !specs[f].default_text.empty())) out.push_back(field);
        for (std::size_t k = 0; k < value.functions.size(); ++k) {
          InputField& part = out.emplace_back(field);
          if (value.functions.size() > 1) part.name += fmt::format("[{}]", k);
          part.value = value.functions[k](t).value;
          part.of_time = true;
          part.component = k;
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
    case Kind::ramp:
      out.kind = Kind::linear_table;
      table = {f.start, offset, f.end, f.rate * (f.end - f.start) + offset};
      break;
    case Kind::linear_table: shift_every(2); break;
    case Kind::cubic_table: shift_every(3); break;
  }
  out.data = table;
  return out;
}

}  // namespace

bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == name[n] || pattern[p] == '?')) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool names_component(std::string_view pattern, std::string_view name) {
  return fits(pattern, name) || (name.ends_with(']') && fits(pattern, name.substr(0, name.rfind('['))));
}

std::vector<InputField> input_fields(const SystemView& view, double t) {
  std::vector<InputField> all;
  list_fields(view.forces, false, t, all);
  list_fields(view.constraints, true, t, all);
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
    if (found) continue;
    std::vector<std::string_view> names;
    for (const InputField& input : all) names.push_back(input.name);
    throw Failure(Exit::bad_input, "there is no input " + show(pattern),
                  names.empty() ? "The model has no force or constraint with a field that could be one."
                                : did_you_mean(pattern, names) + "Inputs: " + listing(names) + ".");
  }
  return out;
}

VariedView::VariedView(const SystemView& original, std::span<const InputField> inputs)
    : view_(original),
      forces_(original.forces.begin(), original.forces.end()),
      constraints_(original.constraints.begin(), original.constraints.end()) {
  const auto instances_of = [&](auto& group, const auto& from) -> std::vector<ElementInstance>& {
    for (std::vector<ElementInstance>& known : instances_)
      if (known.data() == group.instances.data()) return known;
    std::vector<ElementInstance>& copy = instances_.emplace_back(from.instances.begin(), from.instances.end());
    group.instances = copy;
    return copy;
  };
  for (const InputField& input : inputs) {
    const ElementInstance& from = input.of_constraint ? original.constraints[input.group].instances[input.instance]
                                                      : original.forces[input.group].instances[input.instance];
    ElementInstance& instance = (input.of_constraint
                                     ? instances_of(constraints_[input.group], original.constraints[input.group])
                                     : instances_of(forces_[input.group], original.forces[input.group]))[input.instance];
    const auto own = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const auto& f) { return f.data() == instance.fields.data(); });
    std::vector<FieldValue>& fields =
        own != fields_.end() ? *own : fields_.emplace_back(from.fields.begin(), from.fields.end());
    instance.fields = fields;
    FieldValue& value = fields[input.field];
    const FieldValue& model = from.fields[input.field];
    TimeFunction* varied = nullptr;
    if (input.of_time) {
      const auto known = std::find_if(functions_.begin(), functions_.end(),
                                      [&](const auto& f) { return f.data() == value.functions.data(); });
      std::vector<TimeFunction>& functions =
          known != functions_.end() ? *known : functions_.emplace_back(model.functions.begin(), model.functions.end());
      value.functions = functions;
      varied = &functions[input.component];
    }
    inputs_.push_back({model.number, input.of_time ? &model.functions[input.component] : nullptr, &value, varied, {}});
  }
  view_.forces = forces_;
  view_.constraints = constraints_;
}

void VariedView::set(std::span<const double> offsets) {
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    Input& input = inputs_[k];
    if (input.varied != nullptr)
      *input.varied = shifted(*input.function, offsets[k], input.table);
    else
      input.value->number = input.number + offsets[k];
  }
}

}  // namespace polyform::host
