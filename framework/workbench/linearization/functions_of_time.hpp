// The functions of time of a system: of its forces, constraints, modules and joints.
#pragma once

#include <string>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline linearization {

/// Shares of a turn, of a period of each sine in time and of √2 times the run, at which what is true now is looked at
/// again: √5 − 2 and (√5 − 1) / 2. They are irrational, so that no period has a whole number of halves in them, and two
/// within a period: a sine comes back to its value once.
inline constexpr double later_shares[] = {0.2360679774997897, 0.6180339887498949};

/// The first time after t at which a function has a knot; infinity when there is none, s.
double next_knot(const SystemView&, double t);
/// The periods of sines in time, in formulas too, s.
std::vector<double> sine_periods(const SystemView&);
/// Whether what changes after t has a knot ahead, as ramps and tables have: these are inputs, which may be held as they
/// are at an equilibrium. A sine or a polynomial goes on for ever. Looked at within a duration, s.
bool may_hold_functions(const SystemView&, double t, double duration);
/// Times after t at which functions are looked at again: within √2 times a duration (0: none) and the periods of sines,
/// but not beyond the next knot; s, counted from t.
std::vector<double> later_times(const SystemView&, double t, double duration);

/// What takes samples at fixed times and holds them in between: a sentence without a full stop, empty if nothing
/// does. Between two samples the state that is held has no rate, so A says nothing of the motion over many of them.
std::string sampled_signals(const SystemView&);

}  // namespace polyform::host::linearization
