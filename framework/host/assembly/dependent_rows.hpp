// Constraints that all but depend on others: they are taken as dependent in all formulations, and that is said.
#pragma once

#include <string_view>

#include "framework/host/assembly/system.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::host::inline assembly {

/// The joint or element whose rows are taken as dependent, and the part by which they are independent of the others,
/// relative to their size; zero if that is no more than rounding.
struct NearlyDependent {
  double part = 0;
  const char* kind = "";
  std::string_view name{};
};
/// At a state. least: what counts as rounding, of closed loops.
NearlyDependent nearly_dependent(const SystemView&, double t, const ConstStateView&, double least = rounding_of_rows);
inline double nearly_dependent_part(const SystemView& view, double t, const ConstStateView& at) {
  return nearly_dependent(view, t, at).part;
}

/// By how much loops may come open along a motion from the initial state, m, rad, m/s and rad/s, because such rows are
/// taken as dependent: rounded lengths and axes make them contradict each other by about that. Zero if there are none.
double opening_of_loops(const System&);

/// Names the joint or element whose rows are independent of the others by more than rounding, but by too little to
/// count.
void warn_of_dependent_rows(const System::Parts&, Diagnostics&);

}  // namespace polyform::host::assembly
