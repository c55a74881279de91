#include "apps/text/votes_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>

#include "apps/text/comparison_text.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"

namespace polyform::apps {

namespace {

using Solvers = std::vector<std::size_t>;

Names names_of(const Solvers& solvers, const Names& names) {
  Names result;
  for (const std::size_t s : solvers) result.push_back(names[s]);
  return result;
}

/// "a", "a and b", "a, b and c".
std::string listed(const Names& names) {
  if (names.empty()) return {};
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

/// "one" … "ten", then digits.
std::string number(double x) {
  constexpr std::array words{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
  const double whole = std::round(x);
  if (std::abs(x - whole) > 1e-9) return fmt::format("{:.2g}", x);
  return whole < static_cast<double>(words.size()) ? words[static_cast<std::size_t>(whole)] : fmt::format("{}", whole);
}

std::string capital(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

Solvers common(const Solvers& a, const Solvers& b) {
  Solvers both;
  std::ranges::copy_if(a, std::back_inserter(both), [&](std::size_t s) { return std::ranges::count(b, s) > 0; });
  return both;
}

/// The solvers of each vote.
std::vector<Solvers> by_vote(const host::Votes& votes, std::size_t solvers) {
  std::vector<Solvers> all(votes.count());
  for (std::size_t s = 0; s < solvers; ++s)
    if (const auto vote = votes.of(s)) all[*vote].push_back(s);
  return all;
}

/// The kernels that some solvers share with each other.
std::string kernels_within(const Solvers& solvers, const host::Votes& votes) {
  Names kernels;
  for (const host::SharedKernel& kernel : votes.shared())
    if (common(kernel.solvers, solvers).size() > 1) kernels.push_back(kernel.name);
  return fmt::format("{}", fmt::join(kernels, ", "));
}

/// Tells which solvers share what within the sides: "a and b (tree recursion); c and d (loop closure)".
std::string sharing(std::span<const host::Side> sides, const host::Votes& votes, const Names& names) {
  std::vector<std::string> all;
  for (const host::Side& side : sides)
    for (const Solvers& one : by_vote(votes, names.size()))
      if (const Solvers here = common(one, side.runs); here.size() > 1)
        all.push_back(fmt::format("{} ({})", listed(names_of(here, names)), kernels_within(here, votes)));
  return fmt::format("{}", fmt::join(all, "; "));
}

bool is_one_vote(const host::Side& side) { return std::abs(side.votes - 1) < 1e-9; }
bool has_several(const host::Side& side) { return side.runs.size() > 1; }

/// Kernels that run on more than one side.
Names on_several_sides(std::span<const host::Side> sides, const host::Votes& votes) {
  Names kernels;
  for (const host::SharedKernel& kernel : votes.shared())
    if (std::ranges::count_if(sides,
                              [&](const host::Side& side) { return !common(kernel.solvers, side.runs).empty(); }) > 1)
      kernels.push_back(kernel.name);
  return kernels;
}

/// Whether the two sides with the most votes have equally many.
bool is_tie(std::span<const host::Side> sides) {
  std::vector<double> weights;
  for (const host::Side& side : sides) weights.push_back(side.votes);
  std::ranges::sort(weights, std::greater());
  return weights.size() > 1 && weights[0] - weights[1] < 1e-9;
}

std::string against(std::span<const host::Side> sides, const auto& tell) {
  std::vector<std::string> told;
  for (const host::Side& side : sides) told.push_back(tell(side));
  return fmt::format("{}", fmt::join(told, " against "));
}

}  // namespace

std::vector<VoteLine> vote_lines(const host::Votes& votes, const Names& names) {
  std::vector<VoteLine> lines;
  const std::vector<Solvers> all = by_vote(votes, names.size());
  for (std::size_t v = 0; v < all.size(); ++v) {
    lines.push_back({v + 1, true, fmt::format("{}", fmt::join(names_of(all[v], names), ", ")), {}});
    std::vector<const host::SharedKernel*> kernels;
    for (const host::SharedKernel& kernel : votes.shared())
      if (votes.of(kernel.solvers.front()) == v) kernels.push_back(&kernel);
    std::ranges::stable_sort(kernels, std::greater(), [](const auto* kernel) { return kernel->solvers.size(); });
    for (const host::SharedKernel* kernel : kernels) {
      std::string solvers = fmt::format("{}", fmt::join(names_of(kernel->solvers, names), ", "));
      if (solvers != lines.back().solvers) lines.push_back({v + 1, false, std::move(solvers), {}});
      std::string& told = lines.back().kernels;
      told += (told.empty() ? "" : ", ") + kernel->name;
    }
  }
  return lines;
}

void print_votes(const host::Votes& votes, const Names& names) {
  if (votes.count() == 0) return;
  if (votes.shared().empty()) {
    fmt::print(output(), "\nVotes: no two of these solvers share arithmetic on this model, each has its own\n");
    return;
  }
  fmt::print(output(), "\nVotes: solvers that share arithmetic on this model have one together\n");
  const std::vector<VoteLine> lines = vote_lines(votes, names);
  std::size_t width = 0;
  for (const VoteLine& line : lines) width = std::max(width, line.solvers.size());
  for (const VoteLine& line : lines) {
    const std::string vote = line.first ? fmt::format("{}", line.vote) : "";
    if (line.kernels.empty())
      fmt::print(output(), "{:>4}  {}\n", vote, line.solvers);
    else
      fmt::print(output(), "{:>4}  {:<{}}  {}\n", vote, line.solvers, width, line.kernels);
  }
}

ReportTable vote_table(const std::string& of, const host::Votes& votes, const Names& names) {
  ReportTable table{fmt::format("Votes: {} that share arithmetic on this model have one together", of),
                    {{"vote", ""}, {of, ""}, {"arithmetic that they share", ""}},
                    {},
                    {}};
  for (const VoteLine& line : vote_lines(votes, names))
    table.rows.push_back({line.first ? Json(fmt::format("{}", line.vote)) : Json(""), line.solvers, line.kernels});
  return table;
}

std::string agreement_text(std::size_t runs, const host::Votes& votes, double tolerance, double until) {
  std::string text = fmt::format(
      "{} agree within {:g} of the system's size (forces and accelerations: of the largest, or of what acts; angles: "
      "rad) up to t = {:.6g} s.",
      runs == 2 ? "Both" : fmt::format("All {}", runs), tolerance, until);
  if (votes.count() == 1)
    return text +
           "\nThey share arithmetic and are one vote: no independent solver confirms them here.\n"
           "The problems of polyform verify test solvers against known answers.";
  if (votes.count() < runs) text += fmt::format("\nThey are {} votes.", number(static_cast<double>(votes.count())));
  return text;
}

std::string parting_text(const host::Parting& parting, std::span<const host::Side> sides, const Names& names,
                         double tolerance) {
  const bool two = sides.size() == 2 && is_tie(sides);
  const auto parted = std::ranges::find_if(
      sides, [&](const host::Side& side) { return std::ranges::count(side.runs, parting.witness) > 0; });
  const Solvers& who = two ? sides.front().runs : parted->runs;
  return fmt::format(
      "Disagreement: {} {} from {} first at t = {:.6g} s, in the {} of {}, by {:.2e}{} ({:.1e} relative); the "
      "tolerance is {:g}.",
      listed(names_of(who, names)), who.size() == 1 ? "parts" : "part",
      two ? listed(names_of(sides.back().runs, names)) : "the consensus", parting.time, title_of(parting.quantity),
      parting.where, parting.deviation, unit_of(parting.quantity, parting.length), parting.relative, tolerance);
}

std::string sides_text(std::span<const host::Side> sides, const host::Votes& votes, const Names& names) {
  const auto count = [](const host::Side& side) { return number(static_cast<double>(side.runs.size())); };
  const auto weight = [](const host::Side& side) { return number(side.votes); };
  const std::string who = against(sides, [&](const host::Side& side) { return listed(names_of(side.runs, names)); });
  const auto own = [](const host::Side& side) { return side.votes == static_cast<double>(side.runs.size()); };
  const auto several = std::ranges::find_if(sides, has_several);
  const char* const tie = is_tie(sides) ? ": no majority" : "";
  std::string text = capital(against(sides, count));
  if (std::ranges::all_of(sides, own)) {
    text += fmt::format(": {}{}.{}", who, several == sides.end() ? "" : ", each with a vote of its own",
                        is_tie(sides) ? " No majority." : "");
  } else if (sides.size() == 2 && std::ranges::all_of(sides, is_one_vote) &&
             std::ranges::count_if(sides, has_several) == 1) {
    text += fmt::format(", but the {} share arithmetic ({}): {}.\nBy votes it is {}{}.", count(*several),
                        kernels_within(several->runs, votes), who, against(sides, weight), tie);
  } else {
    const std::string shared = sharing(sides, votes, names);
    text += fmt::format(": {}.{}\nBy votes it is {}{}.", who,
                        shared.empty() ? "" : fmt::format("\nArithmetic is shared by {}.", shared),
                        against(sides, weight), tie);
  }
  if (const Names both = on_several_sides(sides, votes); !both.empty())
    text += fmt::format("\nWhat runs on several sides is hardly what parts them: {}.", fmt::join(both, ", "));
  return text;
}

}  // namespace polyform::apps
