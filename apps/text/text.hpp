// Quantities and names in words.
#pragma once

#include <string>
#include <string_view>

#include "framework/host/assembly/system.hpp"
#include "framework/host/simulation/run_record.hpp"

namespace polyform::apps {

/// A time in the unit that suits it: "250 ns", "3.1 us", "12 ms", "4.5 s".
std::string duration_text(double seconds);

/// "1 run", "2 runs".
std::string counted(std::size_t, std::string_view noun);

/// The integrator with what it uses: "rk4, step 0.001 s".
std::string describe(const host::RunSettings&);

/// Which components of a reaction are not unique, ground axes: "fz, mx, my". If other directions than the axes are
/// unique, these are named too.
std::string open_components(const host::OpenDirections&);

/// Which forces of rigid contact are not unique: "not unique in a, b: …". Empty where there are none.
std::string open_contacts(const std::vector<std::string>& names);

/// Whose reactions redundant constraints leave open, and which components of them: "not unique in a (fz), b (fz, mx)
/// and 3 more: 5 redundant constraint equations". Empty when there are none.
std::string open_reactions(const host::ConstraintCount&);

/// Whether they leave any open.
bool leaves_reactions_open(const host::ConstraintCount&);

/// What has them: "a (fz), b (fz, mx) and 3 more, constraint c, module d".
std::string open_joints(const host::ConstraintCount&);

}  // namespace polyform::apps
