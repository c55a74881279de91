// The output of compare as text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/comparison/comparison.hpp"

namespace polyform::apps {

void print_comparison(const host::System&, const host::RunSettings&, double tolerance, const host::Comparison&);

/// Why a run is not done, without the name of the solver, which its row has.
std::string own_reason(const host::HeatEnd&, std::string_view solver);
/// What became of a run that is not done; "" of one that is.
std::string status_text(const host::HeatEnd&, std::string_view solver);
/// What became of the runs of one table that are not done. A long reason is said once, and then whose it is too.
class Reasons {
 public:
  /// place: what later rows call this one: the solver, and the setting where there are several.
  std::string once(const host::HeatEnd&, const std::string& solver, const std::string& place);

 private:
  std::map<std::string, std::string> said_;
};
/// What the drift is where energy is exchanged.
inline constexpr const char* open_drift =
    "Forces without potential, or drives, do work. The drift is that of the balance: the energy less this work.";
/// That, or "" if energy is kept.
std::string drift_note(const std::vector<host::Standing>&);
std::string_view title_of(host::Quantity);
/// " m", " rad", …, "" if there is none. length: of a joint coordinate, whether it is one.
std::string_view unit_of(host::Quantity, bool length);

/// Says so where only one solver came to results; "" elsewhere.
std::string uncompared_text(const host::Comparison&);

/// Which solvers miss the equations of motion by more than the tolerance; "" if none does.
std::string imbalance_text(const host::Comparison&, double tolerance);
/// Whether solvers agree, and the cause where they do not; each a sentence or two. None if fewer than
/// two were compared.
std::vector<std::string> agreement_texts(const host::System&, double tolerance, const host::Comparison&);
/// That bounded steps change the fastest run by more than the tolerance, so that no solution was found.
std::string unresolved_text(const host::BoundedTwin&, double tolerance);
/// The warnings of the runs, each once, with the solvers that give it.
std::vector<std::string> warning_texts(const std::vector<host::Standing>&);
/// The solvers, in the order of the standings.
std::vector<std::string> names_of(const std::vector<host::Standing>&);

}  // namespace polyform::apps
