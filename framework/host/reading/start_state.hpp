// Files of states: where a model starts, in the place of what it says itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"

namespace polyform::host::inline reading {

/// Takes the initial coordinates and velocities of joints from a file: a row of a CSV with columns `<joint>.q`,
/// `<joint>.v` and their indexed forms; or what `polyform equilibrium --output` wrote. Bodies that no joint holds take
/// theirs from `<body>.x` to `<body>.wz` of a CSV. Modes of flexible bodies and states of elements are taken from the
/// columns that results have for them, or the list `states` of the latter, once the model is assembled
/// (Description::start_row). What the file does not name stays as the model says. Reports what is wrong with the file.
///
/// at_time: what the clock shows at the start, s, and the row of the CSV that is taken, by its column `time`; without
/// it the last row at t = 0.
void start_from(const std::string& file, std::optional<double> at_time, Description&, Diagnostics&);
/// The same from the text of such a file.
void start_from_text(std::string_view text, const std::string& file, std::optional<double> at_time, Description&,
                     Diagnostics&);
/// The same from numbers by the names of such columns, over what a file may have said before. They need not name a
/// joint. The clock shows what it showed.
void start_from_values(const std::map<std::string, double>& values, Description&, Diagnostics&);

}  // namespace polyform::host::inline reading
