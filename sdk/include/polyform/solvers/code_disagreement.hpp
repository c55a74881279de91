// What a solver has seen of code that evaluates its worlds in its place: Solver::query gives a CodeDisagreement.
#pragma once

#include <string_view>

namespace polyform {

/// Lives as long as the solver. Compiled code is compared with the solver now and then; where both differ by more than
/// rounding, the solver does all evaluations itself from there on.
struct CodeDisagreement {
  static constexpr std::string_view interface_name = "polyform.code_disagreement.1";
  /// More than what solutions lose in digits next to singular positions: the code is another model's.
  static constexpr double told_from = 1e-6;
  double part = 0;  ///< of the largest rate, by which rates have differed; 0: nothing to tell
  double time = 0;  ///< when, s
};

}  // namespace polyform
