// How the errors of an integrator fall with its steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "framework/workbench/conformance/integrator_checks.hpp"

namespace polyform::host::inline conformance {

namespace {

/// Orders are measured between errors of these sizes only: there neither long steps nor rounding spoil them.
constexpr double largest_error = 3e-2, rounding_error = 5e-13;

/// Orders of convergence at the ends of steps and between them.
struct Orders {
  double at_ends = 0, between = 0;
};

/// Finds orders with steps of one length, halved again and again. Nothing if errors do not fall, as with a method that
/// chooses its order by the tolerance.
std::optional<Orders> orders_by_steps(const IntegratorChoice& choice, KnownSystem& problem) {
  std::optional<Orders> found;
  RunErrors before{INFINITY, INFINITY, 0};
  Orders last;
  for (double step = 1; step > 2e-5; step /= 2) {
    const RunErrors now = run_errors(choice, problem, steps_of(step), duration);
    if (now.at_ends < rounding_error || now.between < rounding_error) break;
    if (now.at_ends < largest_error && before.at_ends < largest_error) {
      const Orders here{std::log2(before.at_ends / now.at_ends), std::log2(before.between / now.between)};
      // The finest steps tell the order, except those at which the next term of the error happens to cancel.
      found = {std::max(here.at_ends, (here.at_ends + last.at_ends) / 2),
               std::max(here.between, (here.between + last.between) / 2)};
      last = here;
    }
    if (now.at_ends < 1e-9 && choice.type->order() < 4) break;
    before = now;
  }
  if (found && found->at_ends < 1.5 && choice.type->order() > 1) return std::nullopt;
  return found;
}

/// The order that follows from the number of steps that a smaller error needs.
double order_by_work(const IntegratorChoice& choice, KnownSystem& problem) {
  const RunErrors rough = run_errors(choice, problem, tolerance_of(1e-5), duration);
  const RunErrors fine = run_errors(choice, problem, tolerance_of(1e-10), duration);
  return std::log(rough.at_ends / fine.at_ends) /
         std::log(static_cast<double>(fine.steps) / static_cast<double>(rough.steps));
}

}  // namespace

StepSettings usual(const IntegratorChoice& choice) {
  return choice.fixed_step() ? steps_of(some_step) : tolerance_of(some_tolerance);
}

std::vector<std::unique_ptr<KnownSystem>> problems() {
  std::vector<std::unique_ptr<KnownSystem>> all;
  all.push_back(std::make_unique<Ellipse>());
  all.push_back(std::make_unique<DrivenDisc>());
  return all;
}

void check_order(const IntegratorChoice& choice, Checklist& list) {
  const int order = choice.type->order();
  list.claim("its order is what it says, at the ends of steps and between", 0.35,
             "look at the coefficients, at the times of the stages, and that integrals and states of first order are "
             "treated as all others; between steps one order less is enough",
             [&](Measure& m) {
               m.see(order >= 1 && order <= 30 ? 0 : 1, [&] { return fmt::format("order() is {}", order); });
               const char* const names[] = {"an ellipse of two bodies", "a driven disc"};
               for (std::size_t i = 0; const auto& problem : problems()) {
                 const char* const name = names[i++];
                 if (const auto orders = orders_by_steps(choice, *problem)) {
                   m.see(std::max(0.0, order - orders->at_ends), [&] {
                     return fmt::format("{}: it says {}, its steps are of order {:.2f}", name, order, orders->at_ends);
                   });
                   m.see(std::max(0.0, order - 1 - orders->between), [&] {
                     return fmt::format("{}: it says {}, between steps it is of order {:.2f}", name, order,
                                        orders->between);
                   });
                 } else if (choice.fixed_step()) {
                   m.see(INFINITY, [&] { return fmt::format("{}: errors do not fall with the step", name); });
                 } else {
                   // A method that chooses its order is below the highest one most of the time.
                   const double by_work = order_by_work(choice, *problem);
                   m.see(std::max(0.0, order / 2.0 - by_work), [&] {
                     return fmt::format("{}: it says {}, its errors fall with the steps as of order {:.2f}", name,
                                        order, by_work);
                   });
                 }
               }
             });
}

}  // namespace polyform::host::conformance
