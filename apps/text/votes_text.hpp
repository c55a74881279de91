// Votes of solvers, and how they stand against each other, in words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/report/report.hpp"
#include "framework/workbench/comparison/consensus.hpp"

namespace polyform::apps {

/// By index of the votes.
using Names = std::vector<std::string>;

/// Some solvers of one vote, and what they share: the first line of each vote has all of them.
struct VoteLine {
  std::size_t vote = 0;  ///< from 1
  bool first = false;
  std::string solvers, kernels;
};
std::vector<VoteLine> vote_lines(const host::Votes&, const Names&);

/// The solvers of each vote and the arithmetic that they share, a line each.
void print_votes(const host::Votes&, const Names&);
/// The same for a page. of: what votes there: "solvers", "runs".
ReportTable vote_table(const std::string& of, const host::Votes&, const Names&);

/// The sentence for so many runs that agree; until: the last time that all have, s.
std::string agreement_text(std::size_t runs, const host::Votes&, double tolerance, double until);
/// Where runs first differ, as one sentence: which runs, and from which.
std::string parting_text(const host::Parting&, std::span<const host::Side>, const Names&, double tolerance);
/// How many solvers and how many votes stand against each other there, and who shares what.
std::string sides_text(std::span<const host::Side>, const host::Votes&, const Names&);

}  // namespace polyform::apps
