// Which formulations confirm another one, and what it tells of the kernels that it stands on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/printable.hpp"
#include "framework/workbench/conformance/formulation_checks.hpp"
#include "polyform/contract/kernels.hpp"

namespace polyform::host::inline conformance {

void Witnesses::add(std::string_view other, const std::vector<std::string>& own, const std::vector<std::string>& its) {
  bool any = false;
  for (const std::string& kernel : own) {
    if (std::ranges::find(its, kernel) == its.end()) continue;
    shared_[std::string(other)].insert(kernel);
    any = true;
  }
  if (!any) independent_.emplace(other);
}

void Witnesses::tell(Measure& m) const {
  std::set<std::string> kernels;
  std::vector<std::string> sharing;
  for (const auto& [other, its] : shared_) {
    sharing.push_back(other);
    kernels.insert(its.begin(), its.end());
  }
  if (sharing.empty()) return;
  const std::string shared = fmt::format("{} share{} arithmetic with it ({})", fmt::join(sharing, ", "),
                                         sharing.size() == 1 ? "s" : "", fmt::join(kernels, ", "));
  if (independent_.empty()) throw Undecided(fmt::format("met, but by no independent formulation: {}", shared));
  m.remark(fmt::format("compared with {}; of these {}", fmt::join(all(), ", "), shared));
}

std::set<std::string> Witnesses::all() const {
  std::set<std::string> names(independent_.begin(), independent_.end());
  for (const auto& [other, kernels] : shared_) names.insert(other);
  return names;
}

void claim_agreement(const Formulation& formulation, const std::vector<Case>& cases, std::string_view kind,
                     std::string_view name, std::string_view remedy, const Bench& bench, Checklist& list) {
  Witnesses witnesses;
  claim_on(cases, kind, name, 1e-9, remedy, list, [&](const Case& one, Measure& m) {
    see_agreement(formulation, one, bench, witnesses, m);
    if (&one == &cases.back()) witnesses.tell(m);
  });
}

void check_kernels(const Formulation& formulation, const Systems& systems, Checklist& list) {
  constexpr std::string_view name = "the kernels that it declares are names, and always the same";
  const std::vector<Case>& cases = systems.loops.empty() ? systems.trees : systems.loops;
  if (cases.empty()) {
    list.unsupported(name, "it runs none of the random models");
    return;
  }
  const auto told = [](Solver& solver) { return ask<Kernels>(solver); };
  try {
    Observed first(formulation, cases.front().sample.view(), cases.front().state);
    if (told(first.solver()) == nullptr || told(first.solver())->count() == 0) {
      list.unsupported(name,
                       "not applicable: it declares none, so comparisons give it a vote of its own. Where it runs code "
                       "that other formulations run too, its solver declares it by query(Kernels::interface_name)");
      return;
    }
  } catch (const Failure&) {
    list.unsupported(name, "it does not run the first of the random models, as other checks tell");
    return;
  }
  list.claim(
      name, 0, "Kernels::name() gives a few words that live as long as the solver (polyform/contract/kernels.hpp)",
      [&](Measure& m) {
        for (const Case& one : cases) {
          Observed a(formulation, one.sample.view(), one.state), b(formulation, one.sample.view(), one.state);
          const Kernels* kernels = told(a.solver());
          constexpr std::size_t few = 64;  // the host does not read more
          m.see(kernels == nullptr || kernels->count() > few ? 1 : 0, "they are more than 64, or not always declared");
          for (std::size_t i = 0; m.good() && i < kernels->count(); ++i) {
            const std::string_view text = kernels->name(i);
            const bool is_name = !text.empty() && text.size() <= 60 && text.find(';') == text.npos &&
                                 first_unprintable(text).length == 0;
            m.see(is_name ? 0 : 1, [&] { return fmt::format("this is no name: {}", printable(text)); });
          }
          m.see(kernels_of(a.solver()) == kernels_of(b.solver()) ? 0 : 1,
                "two solvers of one model declare different ones");
        }
      });
}

}  // namespace polyform::host::conformance
