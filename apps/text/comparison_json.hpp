// The output of compare as JSON and CSV.
#pragma once

#include <string>

#include "apps/text/json_output.hpp"
#include "framework/workbench/comparison/comparison.hpp"
#include "framework/workbench/comparison/sweep.hpp"

namespace polyform::apps {

/// An object by solver name. Each solver has what run --json gives, and `status`. If it is compared, it has, per
/// quantity (position, angle, joint, modal, force, moment), `<quantity>_deviation`, `<quantity>_deviation_time` and
/// `<quantity>_deviation_body` or `_joint`; `vote`, its number of `votes`; `shares`, which kernels it shares with each
/// other solver; and `agrees`. If it does not agree, it has `parting`, and the first to part also `sides` and
/// `divergence`. Otherwise it has `reason`. `reactions_open`: the joints whose reactions are not unique and not
/// compared.
Json comparison_json(const host::System&, const host::Comparison&);

/// An object by solver name: `points` with the value, the work and the errors of each, or `reason`.
Json sweep_json(host::SweepOf, const host::Sweep&);
/// The same object, or null if an interruption came before it, together with the comparison before it: each solver's
/// own part as its `comparison`. `compared`: the result of comparison_json, or null if there was none.
Json sweep_json(Json swept, const Json& compared);
/// The same as a table of comma-separated values, a line per point.
std::string sweep_csv(host::SweepOf, const host::Sweep&);

}  // namespace polyform::apps
