#include "framework/host/evaluation/solver_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "framework/host/process/process.hpp"
#include "polyform/contract/ability_reasons.hpp"
#include "polyform/contract/cost_model.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline evaluation {

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

namespace {

EvaluationCost cost_of(const Formulation& formulation, const SystemView& view) noexcept {
  EvaluationCost cost;
  if (const auto* told = ask<CostModel>(formulation)) told->estimate(view, cost);
  return cost;
}

/// Whether the memory that the formulation tells to need is there; reports where not, with the hinge that most rows
/// pass.
bool fits_memory(const Formulation& formulation, const SystemView& view, DiagnosticSink& sink) noexcept {
  const EvaluationCost cost = cost_of(formulation, view);
  constexpr double small = 1e8;  // what is always there need not be asked for
  if (cost.bytes < small) return true;
  const double left = static_cast<double>(free_memory());
  if (cost.bytes <= left) return true;
  const bool at_hinge = cost.widest < view.bodies.size();
  sink.report({.message = Message("{}: this model needs about {:.2g} GB of memory, {:.2g} GB are free{}{}{}",
                                  formulation.name(), cost.bytes / 1e9, left / 1e9,
                                  at_hinge ? ": its closed loops all pass the joint that moves body `" : "",
                                  at_hinge ? view.bodies[cost.widest].name : "", at_hinge ? "`" : ""),
               .remedy = at_hinge ? "let polyform choose the cut joints (no `cut: true`), or use another solver"
                                  : "make the model smaller, or use another solver"});
  return false;
}

/// Passes on what a check of one ability reports, with the reason of the formulation.
class Reasoned final : public DiagnosticSink {
 public:
  Reasoned(std::string_view reason, DiagnosticSink& sink) : reason_(reason), sink_(sink) {}
  void report(const Diagnostic& found) noexcept override {
    try {
      const std::string message = fmt::format("{}: {}", found.message, reason_);
      Diagnostic with_reason = found;
      with_reason.message = message;
      sink_.report(with_reason);
    } catch (const std::exception&) {
      sink_.report(found);
    }
  }

 private:
  std::string_view reason_;
  DiagnosticSink& sink_;
};

bool has_abilities(const Formulation& formulation, const SystemView& view, DiagnosticSink& sink) noexcept {
  const auto* reasons = ask<AbilityReasons>(formulation);
  if (reasons == nullptr) return check_abilities(view, formulation.name(), formulation.abilities(), sink);
  // One after the other, each with its reason.
  bool covered = true;
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    if ((formulation.abilities() & bit) != 0) continue;
    const std::string_view reason = reasons->why_not(static_cast<Ability>(bit));
    Reasoned reasoned(reason, sink);
    DiagnosticSink& to = reason.empty() ? sink : static_cast<DiagnosticSink&>(reasoned);
    covered = check_abilities(view, formulation.name(), ~bit, to) && covered;
  }
  return covered;
}

}  // namespace

bool can_run(const Formulation& formulation, const SystemView& view, DiagnosticSink& sink) noexcept {
  return has_abilities(formulation, view, sink) && fits_memory(formulation, view, sink) &&
         formulation.supports(view, sink);
}

const Formulation& preferred_formulation(const Named<Formulation>& formulations, const SystemView& view) {
  if (formulations.empty()) throw Failure(Exit::plugin, "no formulation plugin was found", remedies::see_plugins);
  Diagnostics refusals;
  std::vector<const Formulation*> able;
  for (const auto& [name, formulation] : formulations)
    if (can_run(*formulation, view, refusals)) able.push_back(formulation);
  // One that tells a cost many times that of another is not preferred, whatever its rank.
  constexpr double much = 4;
  double least = std::numeric_limits<double>::infinity();
  for (const Formulation* f : able)
    if (const double told = cost_of(*f, view).operations; told > 0) least = std::min(least, told);
  const Formulation* best = nullptr;
  for (const Formulation* f : able)
    if (cost_of(*f, view).operations <= much * least && (best == nullptr || f->preference() > best->preference()))
      best = f;
  if (best == nullptr)
    throw Failure(Exit::bad_input, "no solver can run this model:\n  " + reasons(refusals),
                  "Change the model, or add a plugin with a formulation that can.");
  return *best;
}

SolverPointer compile(const Formulation& formulation, const SystemView& view, Strided<const FieldValue> options) {
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

}  // namespace polyform::host::evaluation
