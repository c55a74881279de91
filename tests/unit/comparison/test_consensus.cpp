// What several runs agree on, and how far each is from it.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "framework/workbench/comparison/consensus.hpp"
#include "framework/workbench/comparison/divergence.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::test;
using Kind = TraceItem::Kind;

namespace {

const Vec3 z{0, 0, 1};

/// Consensus of several numbers, runs one after the other.
std::vector<double> agreed(Kind kind, std::vector<double> numbers, std::size_t runs) {
  std::vector<double> result(numbers.size() / runs);
  std::vector<std::size_t> votes(runs);
  std::iota(votes.begin(), votes.end(), std::size_t{0});
  consensus(kind, numbers, votes, result);
  return result;
}
/// The same where runs share votes.
std::vector<double> agreed(Kind kind, std::vector<double> numbers, const std::vector<std::size_t>& votes) {
  std::vector<double> result(numbers.size() / votes.size());
  consensus(kind, numbers, votes, result);
  return result;
}

std::vector<double> turned(std::initializer_list<double> angles) {
  std::vector<double> numbers;
  for (const double angle : angles) {
    const Quat q = axis_angle(z, angle);
    numbers.insert(numbers.end(), {q.w, q.x, q.y, q.z});
  }
  return numbers;
}

double angle_of(const std::vector<double>& q) { return norm(rotation_vector(Quat{q[0], q[1], q[2], q[3]})); }

const TraceItem turn_item{Quantity::joint, Kind::turn, false, 0, "pin"};

/// One body on a pin, for traces of it.
std::unique_ptr<System> rod() {
  return system_from_text(R"({polyform: 1, bodies: [{name: rod, mass: 1, center_of_mass: [0.5, 0, 0],
    inertia: {xx: 1, yy: 1, zz: 1}}],
    joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}]})");
}

/// Rows at 0, 1, 2 … of a rod at these angles, with a force of 10 N in the pin.
void fill(Trace& trace, const TraceLayout& layout, const std::vector<double>& angles) {
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const Quat q = axis_angle(z, angles[k]);
    std::vector<double> row{0, 0, 0, q.w, q.x, q.y, q.z, angles[k], 10, 0, 0, 0, 0, 0};
    row.resize(layout.width());  // without acceleration
    trace.put(static_cast<double>(k), row);
  }
}

}  // namespace

TEST_CASE("the consensus of two is their mean") {
  CHECK(agreed(Kind::vector, {1, 0, 0, 3, 0, 0}, 2)[0] == 2);
  CHECK(angle_of(agreed(Kind::quaternion, turned({0.2, 0.4}), 2)) == Approx(0.3));
}

TEST_CASE("one outlier of three does not move the consensus") {
  CHECK(agreed(Kind::vector, {1, 0, 0, 1, 0, 0, 100, 0, 0}, 3)[0] == 1);
  CHECK(angle_of(agreed(Kind::quaternion, turned({0.2, 0.2, 2}), 3)) == Approx(0.2).margin(0.5));
}

TEST_CASE("runs that share a vote have one together, however many they are") {
  CHECK(agreed(Kind::number, {1, 1, 5}, {0, 0, 1})[0] == 3);  // one against one: the mean, not the two's
  CHECK(agreed(Kind::number, {1, 1, 1, 5, 5}, {0, 0, 0, 1, 2})[0] == 5);
  CHECK(agreed(Kind::number, {1, 5, 5}, {0, 1, 2})[0] == 5);
  CHECK(agreed(Kind::number, {1, 5, 5, 5, 7}, {0, 0, 1, 1, 2})[0] == 5);  // one that parts from its own kin
  CHECK(agreed(Kind::number, {1, 5, 5}, {0, 0, 1})[0] == 5);
  CHECK(agreed(Kind::number, {1, 2}, {0, 0})[0] == 1.5);
  CHECK(angle_of(agreed(Kind::quaternion, turned({0.2, 0.2, 0.2, 2, 2}), {0, 0, 0, 1, 2})) == Approx(2));
  CHECK(agreed(Kind::turn, {0.2, 0.2, 0.2, 2, 2 + 2 * M_PI}, {0, 0, 0, 1, 2})[0] == Approx(2));
}

TEST_CASE("the sign of a quaternion and whole turns do not matter") {
  std::vector<double> flipped = turned({0.2, 0.2});
  for (std::size_t c = 4; c < 8; ++c) flipped[c] = -flipped[c];
  CHECK(angle_of(agreed(Kind::quaternion, flipped, 2)) == Approx(0.2));
  const double a = 0.1, b = 0.1 + 4 * M_PI;
  CHECK(agreed(Kind::turn, {a, b}, 2)[0] == Approx(0.1));
  CHECK(distance(turn_item, &a, &b) == Approx(0).margin(1e-12));
}

TEST_CASE("the order of the runs does not matter, on a circle either") {
  std::vector<double> angles{3.1, -3.1, 3.05, 0.2, 3.0 + 20 * M_PI};
  std::sort(angles.begin(), angles.end());
  do {
    const double middle = agreed(Kind::turn, angles, 5)[0], expected = 3.05;
    CHECK(distance(turn_item, &middle, &expected) == Approx(0).margin(1e-12));
    std::vector<double> quaternions;
    for (const double angle : angles) {
      const std::vector<double> q = turned({angle});
      quaternions.insert(quaternions.end(), q.begin(), q.end());
    }
    CHECK(angle_of(agreed(Kind::quaternion, quaternions, 5)) == Approx(3.05).margin(0.02));
  } while (std::next_permutation(angles.begin(), angles.end()));
}

TEST_CASE("the difference of two angles is as exact after a million turns") {
  const double a = 2e6 * M_PI + 0.25, b = 0.25 + (a - 2e6 * M_PI - 0.25);
  CHECK(distance(turn_item, &a, &b) < 1e-15 * 2e6 * M_PI);
  const double c = a;
  CHECK(distance(turn_item, &a, &c) == 0);
}

TEST_CASE("a number that is not finite is infinitely far away, and the others do not see it") {
  const double a = 0, b = std::nan("");
  CHECK(std::isinf(distance(turn_item, &a, &b)));
  const auto system = rod();
  const TraceLayout layout(*system);
  Trace one(layout), two(layout), broken(layout);
  fill(one, layout, {0, 0});
  fill(two, layout, {0, 0});
  fill(broken, layout, {0, std::nan("")});
  const std::array<Witness, 3> all{{{&one}, {&two}, {&broken}}};
  const Verdict verdict = judge(layout, all, {}, 1e-4);
  CHECK((*verdict.deviations[0][Quantity::joint]).value == 0);
  CHECK(std::isinf((*verdict.deviations[2][Quantity::joint]).value));
  REQUIRE(verdict.first);
  CHECK(verdict.first->witness == 2);
}

TEST_CASE("where runs part, it is known who is with whom, and by how many votes") {
  const auto system = rod();
  const TraceLayout layout(*system);
  std::array<Trace, 4> traces{Trace(layout), Trace(layout), Trace(layout), Trace(layout)};
  for (const std::size_t k : {0u, 1u}) fill(traces[k], layout, {0, 0.1, 0.2});
  for (const std::size_t k : {2u, 3u}) fill(traces[k], layout, {0, 0.1, 0.21});
  const auto sides = [&](std::array<std::vector<std::string>, 4> kernels, std::size_t runs) {
    std::vector<Witness> all;
    for (std::size_t k = 0; k < runs; ++k) all.push_back({&traces[k], true, kernels[k]});
    const Verdict verdict = judge(layout, all, {}, 1e-4);
    REQUIRE(verdict.first);
    CHECK(std::ranges::is_sorted(verdict.sides, {}, &Side::votes));
    std::map<std::vector<std::size_t>, double> votes;
    for (const Side& side : verdict.sides) votes[side.runs] = side.votes;
    return std::pair(votes, (*verdict.deviations[2][Quantity::joint]).value);
  };
  using Sides = std::map<std::vector<std::size_t>, double>;
  {
    const auto [votes, off] = sides({}, 3);
    CHECK(votes == Sides{{{0, 1}, 2}, {{2}, 1}});
    CHECK(off == Approx(0.01));
  }
  {
    const auto [votes, off] = sides({{{"k"}, {"k"}}}, 3);
    CHECK(votes == Sides{{{0, 1}, 1}, {{2}, 1}});
    CHECK(off == Approx(0.005));
  }
  {
    const auto [votes, off] = sides({{{"k"}, {"k"}}}, 4);  // the two that share nothing outvote the two that do
    CHECK(votes == Sides{{{0, 1}, 1}, {{2, 3}, 2}});
    CHECK(off == 0);
  }
  {
    const auto [votes, off] = sides({{{"k"}, {}, {"k"}}}, 3);
    CHECK(votes == Sides{{{0, 1}, 1.5}, {{2}, 0.5}});
    CHECK(off == Approx(0.01));
  }
}

TEST_CASE("deviations come with their time and place, and the first to part is named") {
  const auto system = rod();
  const TraceLayout layout(*system);
  Trace one(layout), two(layout), off(layout);
  fill(one, layout, {0, 0.1, 0.2, 0.3});
  fill(two, layout, {0, 0.1, 0.2, 0.3});
  fill(off, layout, {0, 0.1, 0.21, 0.3 + 2 * M_PI});
  const std::array<Witness, 3> all{{{&one}, {&two}, {&off}}};
  const Verdict verdict = judge(layout, all, {}, 1e-4);
  const Departure d = *verdict.deviations[2][Quantity::angle];
  CHECK(d.value == Approx(0.01));
  CHECK(d.time == 2);
  CHECK(d.where == "rod");
  CHECK((*verdict.deviations[0][Quantity::angle]).value == Approx(0).margin(1e-15));
  CHECK((*verdict.deviations[2][Quantity::force]).value == 0);
  REQUIRE(verdict.first);
  CHECK(verdict.first->witness == 2);
  CHECK(verdict.first->time == 2);
  CHECK_FALSE(verdict.partings[0]);
  CHECK(verdict.until == 3);
}

TEST_CASE("a body that flies far away later does not hide an earlier parting") {
  const auto system = rod();
  const TraceLayout layout(*system);
  const double reach = layout.reach();
  REQUIRE(reach > 0);
  Trace one(layout), two(layout), off(layout);
  std::vector<double> row(layout.width());
  for (const TraceItem& item : layout.items())
    if (item.kind == TraceItem::Kind::quaternion) row[item.offset] = 1;
  const auto x = std::ranges::find(layout.items(), Quantity::position, &TraceItem::quantity)->offset;
  const auto put = [&](Trace& trace, double time, double place) {
    row[x] = place;
    trace.put(time, row);
  };
  for (Trace* trace : {&one, &two, &off}) {
    const double error = trace == &off ? 1e-3 * reach : 0;
    put(*trace, 0, 0);
    put(*trace, 1, error);
    put(*trace, 2, 1e4 * reach + error);
  }
  const std::array<Witness, 3> all{{{&one}, {&two}, {&off}}};
  const Scales whole = scales_of(layout, layout.reach(), {}, all);
  CHECK(whole.length == Approx(1e4 * reach));
  const Verdict verdict = judge(layout, all, whole, 1e-4);
  REQUIRE(verdict.first);
  CHECK(verdict.first->witness == 2);
  CHECK(verdict.first->time == 1);
  CHECK(verdict.first->relative == Approx(1e-3));
  CHECK(verdict.first->scales.length == Approx(reach));
}

// Two runs stick from row 2 on, the third one from row 3 on, and their accelerations with them.
TEST_CASE("of a row at the instant of an event the motion alone is compared") {
  const auto system = system_from_text(R"({polyform: 1, bodies: [{name: rod, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}],
    joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}],
    forces: [{name: rub, type: dry-friction, joint: pin, effort: 1}]})");
  const TraceLayout layout(*system);
  std::vector<double> row(layout.width());
  for (const TraceItem& item : layout.items())
    if (item.kind == TraceItem::Kind::quaternion) row[item.offset] = 1;
  const auto mode = layout.switches().front();
  const auto at = std::ranges::find(layout.items(), Quantity::joint_acceleration, &TraceItem::quantity)->offset;
  const auto fill_from = [&](Trace& trace, int sticks_from) {
    for (int k = 0; k < 6; ++k) {
      row[mode] = k >= sticks_from ? 1 : 2;
      row[at] = k >= sticks_from ? 0 : -1;
      trace.put(k, row);
    }
  };
  const auto judged = [&](int late) {
    Trace one(layout), two(layout), other(layout);
    fill_from(one, 2);
    fill_from(two, 2);
    fill_from(other, late);
    const std::array<Witness, 3> all{{{&one}, {&two}, {&other}}};
    return judge(layout, all, {}, 1e-4);
  };
  const Verdict at_event = judged(3);
  CHECK_FALSE(at_event.first);
  CHECK(at_event.at_events == std::vector<double>{2});
  // Who sticks a row later than that, or never, is no matter of the instant.
  for (const int late : {4, 6}) {
    const Verdict verdict = judged(late);
    REQUIRE(verdict.first);
    CHECK(verdict.first->witness == 2);
    CHECK(verdict.first->time == 2);
    CHECK(verdict.at_events.empty());
  }
}

TEST_CASE("runs of different length are compared over the rows that all have") {
  const auto system = rod();
  const TraceLayout layout(*system);
  Trace longer(layout), shorter(layout);
  fill(longer, layout, {0, 5});
  fill(shorter, layout, {0});
  const std::array<Witness, 2> all{{{&longer}, {&shorter}}};
  const Verdict verdict = judge(layout, all, {}, 1e-4);
  CHECK(verdict.until == 0);
  CHECK_FALSE(verdict.first);
}

TEST_CASE("the rate of exponential growth is found, whatever comes after saturation") {
  std::vector<DistanceRow> rows;
  for (int k = 0; k <= 300; ++k) rows.push_back({0.1 * k, std::min(1e-10 * std::exp(0.9 * 0.1 * k), 0.5)});
  CHECK(growth_rate(rows).rate == Approx(0.9));
  CHECK(growth_rate(std::span(rows).first(2)).rate == 0);
}

TEST_CASE("the cause of a parting is told from how finer settings change it, and not told where they do not") {
  using Cause = Divergence::Cause;
  constexpr double parting = 1e-4;
  Divergence d;
  d.apart = 2e-4;
  d.integration_error = 1e-9;
  d.explains = false, d.finer_apart = 2e-4;
  CHECK(cause_of(d, parting) == Cause::solver);
  d.integration_error = 0;  // nothing was measured
  CHECK(cause_of(d, parting) == Cause::unknown);
  d.peer_error = 1e-9;
  CHECK(cause_of(d, parting) == Cause::solver);
  d.explains = true, d.finer_apart = 2e-5;
  CHECK(cause_of(d, parting) == Cause::integration);
  d.chaotic = true;
  CHECK(cause_of(d, parting) == Cause::chaos);
  d.finer_apart = 1.9e-4, d.amplification = 1e3;
  CHECK(cause_of(d, parting) == Cause::unknown);
  d.amplification = 1e10;  // round-off alone comes that far
  CHECK(cause_of(d, parting) == Cause::chaos);
  d.chaotic = false;
  CHECK(cause_of(d, parting) == Cause::round_off);
  d = {}, d.apart = d.finer_apart = 1e-16;
  CHECK(cause_of(d, 1e-16) == Cause::round_off);
}

TEST_CASE("of reactions only what redundant constraints leave unique is compared") {
  const auto bars = system_from_file(std::string(POLYFORM_MODELS) + "/four_bar_rhombus.yaml");
  const TraceLayout layout(*bars);
  std::vector<double> row(layout.width(), 2.0);
  for (const TraceItem& item : layout.items())
    if (item.kind == TraceItem::Kind::quaternion) std::fill_n(row.begin() + static_cast<long>(item.offset), 4, 0.5);
  layout.keep_unique(row);
  std::size_t joints = 0;
  for (const TraceItem& item : layout.items()) {
    if (!is_reaction(item.quantity)) continue;
    ++joints;
    const double* v = row.data() + item.offset;
    // In a planar mechanism forces in the plane and the moment across it are unique.
    const bool force = item.quantity == Quantity::force;
    for (std::size_t c = 0; c < 3; ++c) CHECK(v[c] == Approx((c < 2) == force ? 2 : 0).margin(1e-9));
  }
  CHECK(joints > 0);
}
