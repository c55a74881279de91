#include "apps/session/compiled_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "polyform/contract/model_source.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

/// Options of formulations are numbers, whole numbers and choices.
bool is_same(const FieldValue& a, const FieldValue& b) {
  return a.number == b.number && a.integer == b.integer && a.text == b.text;
}

}  // namespace

bool has_options(const SolverChoice& choice, const std::vector<FieldValue>& options) {
  return std::ranges::equal(choice.options, options, is_same);
}

void require_source(Solver& solver, const SolverChoice& choice, const host::System& system,
                    const host::Catalog& catalog) {
  if (ask<ModelSource>(solver) != nullptr) return;
  std::string others;
  for (const auto& [name, formulation] : catalog.formulations) {
    try {
      const host::SolverPointer other = compile(with_model_options(*formulation, system), system.view());
      if (ask<ModelSource>(*other) != nullptr) others += (others.empty() ? "; " : " or ") + name;
    } catch (const Failure&) {
      // It does not take the system.
    }
  }
  throw Failure(Exit::bad_input, fmt::format("{} does not compile its solvers{}", choice.formulation->name(),
                                             others.empty() ? "" : others + " does"));
}

std::string source_of_cases(const std::string& model, std::span<const CompiledCases::Variant> variants) {
  std::vector<Solver*> others;
  for (const CompiledCases::Variant& variant : variants.subspan(1)) others.push_back(variant.solver);
  const CompiledCases::Variant& first = variants.front();
  return host::source_of(*first.solver, first.choice->formulation->name(),
                         {host::compiled_name(model), host::compiled_meaning(model), others});
}

CompiledCases::CompiledCases(const std::string& model, std::span<const Variant> variants)
    : from_(variants.front().choice->formulation),
      options_(variants.front().choice->options),
      plugin_(host::compiled_name(model), source_of_cases(model, variants), POLYFORM_VERSION) {}

host::SolverPointer CompiledCases::compiled_for(const SolverChoice& choice, const SystemView& view) const {
  if (choice.formulation != from_ || !has_options(choice, options_)) return nullptr;
  try {
    return host::compile(plugin_.formulation(), view, plugin_.options(*from_, choice.options));
  } catch (const host::Failure&) {
    return nullptr;  // its numbers are others
  }
}

host::SolverPointer CompiledCases::solver_for(const SolverChoice& choice, const SystemView& view) const {
  host::SolverPointer solver = compiled_for(choice, view);
  return solver ? std::move(solver) : compile(choice, view);
}

}  // namespace polyform::apps
