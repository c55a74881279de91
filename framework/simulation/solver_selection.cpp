#include "framework/simulation/solver_selection.hpp"

#include <fmt/format.h>

#include "polyform/observation.hpp"

namespace polyform::host {

namespace {

/// All errors of a check with their remedies as one text, a line each.
std::string reasons(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::error)
      text += fmt::format("{}{}{}{}", text.empty() ? "" : "\n  ", d.message, d.remedy.empty() ? "" : "; ", d.remedy);
  return text;
}

}  // namespace

bool can_run(const Formulation& formulation, const SystemView& view, DiagnosticSink& sink) noexcept {
  return check_abilities(view, formulation.name(), formulation.abilities(), sink) && formulation.supports(view, sink);
}

const Formulation& preferred_formulation(const Named<Formulation>& formulations, const SystemView& view) {
  if (formulations.empty())
    throw Failure(Exit::plugin, "no formulation plugin was found",
                  "polyform plugins shows where plugins were looked for and why a file was refused.");
  const Formulation* best = nullptr;
  Diagnostics refusals;
  for (const auto& [name, formulation] : formulations)
    if (can_run(*formulation, view, refusals) && (best == nullptr || formulation->preference() > best->preference()))
      best = formulation;
  if (best == nullptr)
    throw Failure(Exit::bad_input, "no solver can run this model:\n  " + reasons(refusals),
                  "Change the model, or add a plugin with a formulation that can.");
  return *best;
}

SolverPointer compile(const Formulation& formulation, const SystemView& view, std::span<const FieldValue> options) {
  Diagnostics diagnostics;
  if (!can_run(formulation, view, diagnostics)) {
    const std::string text = reasons(diagnostics);
    throw Failure(Exit::bad_input,
                  text.empty() ? fmt::format("{} cannot run this model and gave no reason", formulation.name()) : text,
                  "Choose another solver (polyform plugins show NAME tells what it supports), or change the model.");
  }
  SolverPointer solver(formulation.compile(view, options, diagnostics));
  if (!solver) {
    const std::string text = reasons(diagnostics);
    const std::string_view option = diagnostics.all().empty() ? std::string_view() : diagnostics.all().front().path;
    throw Failure(Exit::bad_input,
                  text.empty() ? fmt::format("{} could not be set up and gave no reason", formulation.name()) : text,
                  {}, std::string(option));
  }
  return solver;
}

}  // namespace polyform::host
