// Modules found in the graph: small interfaces, few levels, every constraint once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "merge_tree.hpp"
#include "tests/hierarchy/solver_with.hpp"
#include "tests/support/random_model.hpp"

using namespace polyform;
using namespace polyform::hierarchy;
using namespace polyform::test;

namespace {

struct TreeShape {
  std::size_t levels, widest_interface, most_members, constraints;
};

TreeShape shape_of(const std::vector<LevelConstraint>& given, std::size_t bodies) {
  std::vector<LevelConstraint> constraints = given;
  const MergeTree tree = make_merge_tree(constraints, bodies, 0, false, std::vector<bool>(bodies));
  TreeShape s{tree.levels, 0, 0, 0};
  for (const Merge& merge : tree.merges) {
    s.widest_interface = std::max(s.widest_interface, merge.interface.size());
    s.most_members = std::max(s.most_members, merge.members.size());
    s.constraints += merge.constraints.size();
  }
  return s;
}

LevelConstraint constraint(std::vector<std::size_t> bodies) { return {std::move(bodies), 5, 0}; }

/// A chain on ground.
std::vector<LevelConstraint> link_row(std::size_t n) {
  std::vector<LevelConstraint> constraints{constraint({0})};
  for (std::size_t i = 1; i < n; ++i) constraints.push_back(constraint({i - 1, i}));
  return constraints;
}
std::vector<LevelConstraint> binary_tree(std::size_t n) {
  std::vector<LevelConstraint> constraints{constraint({0})};
  for (std::size_t i = 1; i < n; ++i) constraints.push_back(constraint({(i - 1) / 2, i}));
  return constraints;
}
/// Posts 2 k on ground, bars 2 k + 1 between post and next post.
std::vector<LevelConstraint> ladder(std::size_t loops) {
  std::vector<LevelConstraint> constraints{constraint({0})};
  for (std::size_t k = 0; k < loops; ++k) {
    constraints.push_back(constraint({2 * k, 2 * k + 1}));
    constraints.push_back(constraint({2 * k + 1, 2 * k + 2}));
    constraints.push_back(constraint({2 * k + 2}));
  }
  return constraints;
}
std::vector<LevelConstraint> star(std::size_t n) {
  std::vector<LevelConstraint> constraints{constraint({0})};
  for (std::size_t i = 1; i < n; ++i) constraints.push_back(constraint({0, i}));
  return constraints;
}

}  // namespace

TEST_CASE("interfaces of modules found in chains, trees, ladders and stars do not grow with the system") {
  for (const std::size_t n : {10u, 100u, 1000u, 10000u}) {
    INFO(n << " bodies");
    for (const std::vector<LevelConstraint>& constraints : {link_row(n), binary_tree(n), ladder(n / 2), star(n)}) {
      const std::size_t bodies = 1 + (*std::max_element(constraints.begin(), constraints.end(),
                                                        [](const LevelConstraint& a, const LevelConstraint& b) {
                                                          return a.blocks.back() < b.blocks.back();
                                                        }))
                                         .blocks.back();
      const TreeShape s = shape_of(constraints, bodies);
      CHECK(s.widest_interface <= 3);
      CHECK(s.most_members <= 5);
      CHECK(static_cast<double>(s.levels) <= 3 + 2 * std::log2(static_cast<double>(bodies)));
      CHECK(s.constraints == constraints.size());
    }
  }
}

TEST_CASE("modules of a chain are halved from level to level") {
  for (const std::size_t k : {1u, 4u, 10u}) CHECK(shape_of(link_row(1u << k), 1u << k).levels == k + 1);
}

TEST_CASE("a hierarchy that is cut off has the constraints of its levels and no others") {
  std::vector<LevelConstraint> constraints = link_row(64);
  make_merge_tree(constraints, 64, 0, false, std::vector<bool>(64));
  for (std::size_t level = 1; level <= 7; ++level) {
    std::vector<LevelConstraint> kept = constraints;
    const MergeTree tree = make_merge_tree(kept, 64, level, false, std::vector<bool>(64));
    std::vector<std::size_t> enforced;
    for (const Merge& merge : tree.merges)
      enforced.insert(enforced.end(), merge.constraints.begin(), merge.constraints.end());
    std::sort(enforced.begin(), enforced.end());
    std::vector<std::size_t> expected;
    for (std::size_t t = 0; t < constraints.size(); ++t)
      if (constraints[t].level <= level) expected.push_back(t);
    CHECK(enforced == expected);
  }
}

TEST_CASE("each level that is found has constraints of its own") {
  // A constraint of eight blocks takes three rounds of merges, of which the first two enforce nothing.
  std::vector<LevelConstraint> constraints{constraint({0, 1, 2, 3, 4, 5, 6, 7})};
  CHECK(make_merge_tree(constraints, 8, 0, false, std::vector<bool>(8)).levels == 2);
  CHECK(constraints[0].level == 2);
  // So do two such constraints one after the other, and what joins them comes after both.
  std::vector<LevelConstraint> wide{constraint({0, 1, 2, 3}), constraint({3, 4, 5, 6}), constraint({0, 6})};
  const MergeTree tree = make_merge_tree(wide, 7, 0, false, std::vector<bool>(7));
  std::vector<bool> has(tree.levels + 1);
  for (const LevelConstraint& one : wide) has.at(one.level) = true;
  for (std::size_t level = 2; level <= tree.levels; ++level) CHECK(has[level]);
  std::vector<LevelConstraint> nothing;
  CHECK(make_merge_tree(nothing, 2, 0, true, std::vector<bool>(2, true)).levels == 1);
}
