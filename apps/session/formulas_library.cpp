#include "apps/session/formulas_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "apps/session/private_library.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/columns/body_axes_columns.hpp"
#include "framework/host/process/process.hpp"

namespace polyform::apps {

using formulas::Formulas;
using formulas::Language;
using host::Exit;
using host::Failure;

Language language_of(const std::string& name) {
  return name == "latex" ? Language::latex : name == "c" ? Language::c : Language::text;
}

namespace {

Formulas formulas_of(const host::System& system, const std::string& euler_angles, Language language) {
  formulas::Request request;
  request.view = &system.view();
  request.angles = host::body_angles(system, euler_angles);
  request.state = system.initial_state();
  request.language = language;
  Formulas made;
  try {
    const auto make = reinterpret_cast<formulas::Make>(private_function(
        "formulas.so", formulas::make_name, "formulas cannot be made",
        "Build Polyform with the computer algebra library GiNaC (libginac-dev), or install it (libginac11)."));
    make(request, made);
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& error) {
    throw Failure(Exit::simulation_failed, fmt::format("the formulas cannot be made: {}", error.what()),
                  "Take a smaller model, or the numbers (--equations).");
  }
  if (!made.refusal.empty())
    throw Failure(Exit::bad_input, "the equations have no formulas: " + made.refusal, made.remedy);
  return made;
}

void check_formulas(const host::System& system, const Formulas& found, std::span<const double> accelerations) {
  constexpr double tolerance = 1e-8;  // relative to the largest: both have lost some digits because of the inertias
  double size = norm(system.view().gravity), worst = 0;
  const std::size_t n = std::min(found.accelerations.size(), accelerations.size());
  for (std::size_t k = 0; k < n; ++k) size = std::max(size, std::abs(accelerations[k]));
  for (std::size_t k = 0; k < n; ++k) worst = std::max(worst, std::abs(found.accelerations[k] - accelerations[k]));
  if (worst <= tolerance * size) return;
  throw Failure(Exit::simulation_failed,
                fmt::format("the formulas give other accelerations than the solver, by {:.1e} of {:.1e}", worst, size),
                "Do not use them; please report this, with the model.");
}

}  // namespace

std::string checked_formulas(const host::System& system, const std::string& euler_angles, Language language,
                             std::span<const double> accelerations) {
  std::string text;
  const host::ProcessJob job{[&](const host::Messenger& back) {
                               const Formulas found = formulas_of(system, euler_angles, language);
                               check_formulas(system, found, accelerations);
                               back.send(found.text);
                             },
                             [&](std::string_view made) { text = made; },
                             {}};
  const host::ProcessLimits limits{formulas_seconds, host::default_memory_limit(1)};
  const host::ProcessEnd end = host::run_in_processes(std::span(&job, 1), limits, 1).front();
  if (end.done()) return text;
  using How = host::ProcessEnd::How;
  if (end.how == How::failed) throw Failure(end.code, end.message, end.remedy);
  throw Failure(end.how == How::time_limit || end.how == How::memory ? Exit::bad_input : Exit::simulation_failed,
                "the formulas could not be made: " + host::describe(end, limits),
                "Formulas are for small trees: take a smaller model, or the numbers (--equations).");
}

}  // namespace polyform::apps
