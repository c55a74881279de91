// What compile() of a formulation says when it makes no solver.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "polyform/helpers/element_helpers.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform {

/// The mistake in a model or an option, and what to do.
struct Refusal {
  std::string message, remedy;
  std::string_view option = {};  ///< name of the option at fault; empty if it is the model
};

/// Puts the name of the option at fault into a refusal, if there is one.
inline std::optional<Refusal> of_option(std::string_view option, std::optional<Refusal> refusal) {
  if (refusal) refusal->option = option;
  return refusal;
}

/// A new solver, or nullptr when a force, constraint, flexible or module type could not set itself up in it.
template <class Made, class... Args>
Solver* made_solver(Args&&... args) {
  auto* solver = new Made(std::forward<Args>(args)...);
  if (solver->good()) return solver;
  solver->destroy();
  return nullptr;
}

/// The remedy if memory runs out for a formulation whose matrices grow faster than the model.
inline constexpr std::string_view use_joint_coordinates =
    "make the model smaller, or use a formulation in joint coordinates";

/// Returns the solver that make(refusal) makes. If it makes none, reports the refusal; without a refusal, reports that
/// a type could not set itself up. name: of the formulation. smaller: the remedy if memory runs out.
template <class Make>
Solver* compiled(std::string_view name, std::string_view smaller, DiagnosticSink& sink, Make&& make) noexcept {
  const auto report = [&](std::string_view message, std::string_view remedy, std::string_view option = {}) {
    sink.report({.message = message, .remedy = remedy, .path = option});
  };
  try {
    std::optional<Refusal> refusal;
    if (Solver* solver = make(refusal)) return solver;
    if (refusal)
      report(refusal->message, refusal->remedy, refusal->option);
    else
      report(Message("{}: a force, constraint, flexible or module type of the model could not set itself up", name),
             "free some memory, or look for the type's plugin among the others reported");
  } catch (const std::exception&) {
    report(Message("{}: memory ran out while setting up the equations", name), smaller);
  }
  return nullptr;
}

}  // namespace polyform
