// The parts of the battery of a formulation.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/element_systems.hpp"
#include "framework/workbench/conformance/model_state.hpp"
#include "framework/workbench/conformance/observed.hpp"

namespace polyform::host::inline conformance {

/// Random trees and systems with loops that the formulation says it can run.
struct Systems {
  std::vector<Case> trees, loops;
  std::vector<Case> free_trees, free_loops;  ///< without forces

  bool none() const { return trees.empty() && loops.empty() && free_trees.empty() && free_loops.empty(); }
  const std::vector<Case>& any() const {
    if (loops.empty() && trees.empty()) throw Undecided("it runs none of the random models");
    return loops.empty() ? trees : loops;
  }
};

/// One claim on some of the systems, undecided where the formulation runs none of them.
template <class See>
void claim_on(const std::vector<Case>& cases, std::string_view kind, std::string_view name, double tolerance,
              std::string_view remedy, Checklist& list, See see) {
  const std::string title = fmt::format("{}: {}", kind, name);
  if (cases.empty()) {
    list.unsupported(title, "it runs none of the random models");
    return;
  }
  list.claim(title, tolerance, remedy, [&](Measure& m) {
    for (const Case& one : cases) {
      m.in_model(with_state(one.sample.text, one.sample.view(), one.state));
      see(one, m);
    }
  });
}

/// Motion, accelerations, reactions, energies: against mechanics, and against the other formulations.
void check_mechanics(const Formulation&, const Systems&, const Bench&, Checklist&);
/// Checks what the solver tells of drift, from the joints and of quaternions, and what correct() does about it.
void check_correction(const Formulation&, const std::vector<Case>&, std::string_view kind, Checklist&);
/// The other formulations that one was compared with, by whether they share kernels with it on any of the systems.
class Witnesses {
 public:
  void add(std::string_view other, const std::vector<std::string>& own, const std::vector<std::string>& its);
  /// Remarks who confirms the formulation. Undecided where nobody does who shares nothing with it.
  void tell(Measure&) const;

 private:
  std::set<std::string> all() const;

  std::set<std::string, std::less<>> independent_;
  std::map<std::string, std::set<std::string>, std::less<>> shared_;  ///< the kernels shared with each
};
/// One case against all other formulations that run it. Undecided when there are none.
void see_agreement(const Formulation&, const Case&, const Bench&, Witnesses&, Measure&);
/// The claim that all cases are as in the other formulations.
void claim_agreement(const Formulation&, const std::vector<Case>&, std::string_view kind, std::string_view name,
                     std::string_view remedy, const Bench&, Checklist&);
/// Whether the kernels that a formulation tells are names, and the same whenever they are asked for.
void check_kernels(const Formulation&, const Systems&, Checklist&);
/// Whether all that is observed of a state, and the rate of every element of y, is a finite number.
void see_finite(const Formulation&, const SystemView&, const State&, double time, Measure&);
/// A copy of what was observed or decoded.
inline State copy_of(const StateView& s) { return State(as_const(s)); }
/// Observed velocities and accelerations, of bodies and modes, and rates of first-order states, against differences
/// along y + h ẏ.
void see_rates(const Formulation&, const Case&, Measure&);
/// What the solver tells of positions and velocities in y, where it does.
void see_second_order(const Formulation&, const Case&, Measure&);
/// Many worlds at once, where the solver evaluates them.
void see_batch(const Formulation&, const Case&, Measure&);
/// The discrete state: constant but in encode() and correct(), and what is put back is as it was.
void see_discrete(const Formulation&, const Case&, Measure&);
/// From the state to y and back. Coordinates of cut joints are known up to whole turns.
void see_round_trip(const Formulation&, const Case&, Measure&);
/// A solver, or nothing after a refusal in a sentence, which `refusal` gets. Failure when the refusal says nothing.
SolverPointer compiled_or_refused(const Formulation&, const SystemView&, const Observed::Options& given,
                                  std::string* refusal = nullptr);
/// Whether everything observed is a finite number.
bool is_finite(const Observation&);
inline constexpr const char* not_finite = "something observed is no finite number";
/// Tries every choice of every option, and the ends of every range.
void check_options(const Formulation&, const Systems&, Checklist&);
/// Whether a solver of each system allocates in any call.
void see_allocations_in(const Formulation&, const std::vector<Case>&, Measure&);
inline constexpr std::string_view make_memory_in_compile =
    "all memory is made in compile(): encode, decode, derivative, correct and observe only use it";
/// Checks that the formulation carries what it declares, and refuses the rest in a sentence.
void check_abilities_of(const Formulation&, const Bench&, Checklist&);
/// Checks that nothing allocates after compile, that no call remembers another, and that solvers do not influence each
/// other.
void check_calls(const Formulation&, const Systems&, const Bench&, Checklist&);

}  // namespace polyform::host::conformance
