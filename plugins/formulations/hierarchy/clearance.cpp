#include "clearance.hpp"

#include <charconv>
#include <cmath>
#include <vector>

namespace polyform::hierarchy {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

template <class T>
bool is_number(std::string_view text, T& out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), out);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

/// A constraint as the option names it.
struct Named {
  std::string_view kind, name;
};

/// All of a system, in the order of their levels in a plan.
std::vector<Named> names_of(const SystemView& view) {
  std::vector<Named> names;
  for (const JointData& joint : view.joints) names.push_back({"joint", joint.name});
  for (const ConstraintInstances& group : view.constraints)
    for (const std::string_view name : group.names) names.push_back({"constraint", name});
  for (const ModuleInstances& group : view.modules)
    for (const std::string_view name : group.names) names.push_back({"module", name});
  return names;
}

/// What one item of the option says.
struct Item {
  std::string_view name;  ///< with the row in brackets
  double variance = -1;   ///< negative where it is no number from 0 on
};

Item read_item(std::string_view text) {
  Item item{text};
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return item;
  item.name = trimmed(text.substr(0, equals));
  std::string_view number = trimmed(text.substr(equals + 1));
  if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
  if (!is_number(number, item.variance) || !std::isfinite(item.variance)) item.variance = -1;
  return item;
}

/// The one constraint of this name, or why there is none.
std::optional<Refusal> find(const std::vector<Named>& names, std::string_view name, std::size_t& found) {
  found = none;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].name != name) continue;
    if (found != none)
      return Refusal{fmt::format("hierarchy: clearance is given for `{}`, which is the name of a {} and of a {}", name,
                                 names[found].kind, names[i].kind),
                     "give one of them another name"};
    found = i;
  }
  return {};
}

class ClearanceReader {
 public:
  ClearanceReader(const SystemView& view, Plan& plan) : plan_(plan), names_(names_of(view)), given_(names_.size()) {
    for (std::size_t i = 0; i < names_.size(); ++i) given_[i].resize(plan.constraints[i].rows);
  }

  std::optional<Refusal> read(std::string_view text) {
    const Item item = read_item(text);
    if (!(item.variance >= 0))
      return Refusal{fmt::format("hierarchy: clearance `{}` is not of the form joint=R with R a finite number from 0 "
                                 "on",
                                 text),
                     "write for example clearance=\"pin=1e-6, slide[0]=1e-4\""};
    std::size_t which = none, row = none;
    if (auto refusal = find(names_, item.name, which)) return refusal;
    const std::size_t bracket = item.name.rfind('[');
    if (which == none && bracket != std::string_view::npos && item.name.back() == ']' &&
        is_number(item.name.substr(bracket + 1, item.name.size() - bracket - 2), row))
      if (auto refusal = find(names_, item.name.substr(0, bracket), which)) return refusal;
    if (which == none)
      return Refusal{fmt::format("hierarchy: clearance is given for `{}`, but the model has no such joint, constraint "
                                 "or module",
                                 item.name),
                     "check the spelling of the name"};
    return set(which, row, item);
  }

 private:
  std::optional<Refusal> set(std::size_t which, std::size_t row, const Item& item) {
    std::vector<bool>& given = given_[which];
    if (given.empty())
      return Refusal{fmt::format("hierarchy: clearance is given for `{}`, which leaves all motions free", item.name),
                     "leave it out"};
    if (row != none && row >= given.size())
      return Refusal{fmt::format("hierarchy: clearance is given for `{}`, but {} `{}` has {} row{}", item.name,
                                 names_[which].kind, names_[which].name, given.size(), plural(given.size())),
                     "count them from 0, in the order of `evaluate --equations`"};
    if (plan_.constraints[which].level > plan_.level)
      return Refusal{fmt::format("hierarchy: clearance is given for `{}`, which the model of level {} does not have",
                                 item.name, plan_.level),
                     "leave it out, or choose a higher level"};
    plan_.noise.resize(names_.size());
    plan_.noise[which].resize(given.size());
    const std::size_t first = row == none ? 0 : row, end = row == none ? given.size() : row + 1;
    for (std::size_t r = first; r < end; ++r) {
      if (given[r])
        return Refusal{fmt::format("hierarchy: clearance is given twice for `{}`", item.name), "give it one value"};
      given[r] = true;
      plan_.noise[which][r] = item.variance;
    }
    return {};
  }

  Plan& plan_;
  const std::vector<Named> names_;
  std::vector<std::vector<bool>> given_;  ///< per constraint, per row
};

}  // namespace

std::optional<Refusal> read_clearance(const SystemView& view, std::string_view text, Plan& plan) {
  ClearanceReader reader(view, plan);
  while (!trimmed(text).empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (auto refusal = reader.read(trimmed(text.substr(0, end)))) return refusal;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace polyform::hierarchy
