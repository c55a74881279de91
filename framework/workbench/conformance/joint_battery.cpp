// A joint in systems: in the tree, carrying either of its bodies, and as the cut joint of a loop, in every formulation.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "framework/workbench/conformance/agreement.hpp"
#include "framework/workbench/conformance/energy.hpp"
#include "framework/workbench/conformance/joint_checks.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/model_state.hpp"
#include "framework/workbench/conformance/observed.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline conformance {

namespace {

/// The same two bodies joined by the tested joint: in the tree, or closing a loop of two joints that leave all
/// freedoms.
struct Pair {
  std::string direction;
  Sample tree, loop;
  State tree_state, loop_state;
};

Sample two_bodies(const JointType& type, const Bench& bench, std::uint64_t seed, bool backwards, bool cut) {
  const JointType& loose = bench.loose_joint();
  return bench.sample(seed, [&](ModelWriter& writer, Random&) {
    const std::string a = writer.add_body(), b = writer.add_body();
    writer.add_joint(tested, type.name(), type.fields(), backwards ? b : a, backwards ? a : b,
                     cut ? ", cut: true" : "");
    writer.add_joint("first", loose.name(), loose.fields(), "ground", a);
    if (cut) writer.add_joint("second", loose.name(), loose.fields(), "ground", b);
  });
}

/// The state of one view in another of the same bodies by name.
State transferred(const SystemView& from, const State& state, const System& to) {
  TreeKinematics tree(from);
  tree.evaluate(state.q.data(), state.v.data());
  std::vector<BodyMotion> motions;
  for (const BodyData& body : to.view().bodies) {
    const auto same = std::ranges::find(from.bodies, body.name, &BodyData::name);
    motions.push_back(tree.bodies()[static_cast<std::size_t>(same - from.bodies.begin())]);
  }
  State out(to.initial_state());
  read_joints(to.view(), motions, out.q, out.v);
  return out;
}

std::vector<Pair> pairs_of(const JointType& type, const Bench& bench) {
  std::vector<Pair> pairs;
  Random random(11);
  for (std::uint64_t seed = 21; seed < 21 + static_cast<std::uint64_t>(bench.count(4)); ++seed)
    for (const bool backwards : {false, true}) {
      Pair pair{backwards ? "base outboard" : "base inboard",
                two_bodies(type, bench, seed, backwards, false),
                two_bodies(type, bench, seed, backwards, true),
                {},
                {}};
      pair.tree_state = random_state(*pair.tree.system, random);
      pair.loop_state = transferred(pair.tree.view(), pair.tree_state, *pair.loop.system);
      pairs.push_back(std::move(pair));
    }
  return pairs;
}

/// Accelerations of both bodies and the tested joint's reaction.
struct Response {
  std::vector<std::pair<std::string_view, Spatial>> bodies;
  Spatial reaction;
};
Response response(const SystemView& view, const Observation& o) {
  Response r;
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    r.bodies.emplace_back(view.bodies[i].name, Spatial{o.bodies[i].angular_acceleration, o.bodies[i].acceleration});
  std::ranges::sort(r.bodies, {}, &std::pair<std::string_view, Spatial>::first);
  r.reaction = o.reactions[static_cast<std::size_t>(&tested_joint(view) - &view.joints.front())];
  return r;
}
double difference(const Response& a, const Response& b) {
  double scale = 1, worst = 0;
  const auto widen = [&](const Spatial& x, const Spatial& y) {
    worst = larger({worst, norm(x.angular - y.angular), norm(x.linear - y.linear)});
    scale = larger({scale, norm(x.angular), norm(x.linear)});
  };
  for (std::size_t i = 0; i < a.bodies.size(); ++i) widen(a.bodies[i].second, b.bodies[i].second);
  widen(a.reaction, b.reaction);
  return worst / scale;
}

void see_response(const Formulation& formulation, const Pair& pair, bool cut, std::optional<Response>& expected,
                  Measure& m) {
  const Sample& sample = cut ? pair.loop : pair.tree;
  const State& state = cut ? pair.loop_state : pair.tree_state;
  m.in_model(with_state(sample.text, sample.view(), state));
  Observed seen(formulation, sample.view(), state);
  const Response found = response(sample.view(), seen.now());
  if (!expected) expected = found;
  const auto where = [&](const char* what) {
    return [&, what] { return fmt::format("{}: {}, {}", what, pair.direction, cut ? "cut joint" : "tree joint"); };
  };
  m.see(difference(*expected, found),
        where("accelerations or reaction differ from the first formulation's in the tree"));
  m.see(newton_euler_error(sample.view(), state, 0, seen.now()),
        where("reactions do not balance the motion of the bodies"));
  m.see(acceleration_misfit(sample.view(), 0, seen.now()), where("accelerations leave what the joints allow"));
}

constexpr std::string_view look_at_motion =
    "when the checks of H, bias and coordinates pass, the formulation is at fault: run polyform conform on its plugin";

void check_standing(bool cut, const std::vector<Pair>& pairs, std::vector<std::optional<Response>>& expected,
                    const Bench& bench, Checklist& list) {
  const std::string standing = cut ? "as cut joint" : "as tree joint";
  for (const auto& entry : bench.catalog().formulations) {
    const auto& name = entry.first;
    const auto& formulation = entry.second;
    const std::string equal = fmt::format("{} in {}: equal accelerations and reactions", standing, name);
    const bool driven = rheonomic_kernel(tested_joint(pairs.front().tree.view())) != nullptr;
    const std::string kept =
        fmt::format("{} in {}: energy {}", standing, name, driven ? "changes by the power of the drive" : "is kept");
    const Sample& first = cut ? pairs.front().loop : pairs.front().tree;
    Diagnostics refusal;
    if (!can_run(*formulation, first.view(), refusal)) {
      const std::string why(refusal.all().empty() ? "it gives no reason" : refusal.all().front().message);
      list.unsupported(equal, why);
      list.unsupported(kept, why);
      continue;
    }
    list.claim(equal, 1e-9, look_at_motion, [&](Measure& m) {
      for (std::size_t i = 0; i < pairs.size(); ++i) see_response(*formulation, pairs[i], cut, expected[i], m);
    });
    if (driven) {
      list.claim(kept, 1e-6, "Observation::power must contain what drives the joint", [&](Measure& m) {
        for (const Pair& pair : pairs) {
          const Sample& sample = cut ? pair.loop : pair.tree;
          const State& state = cut ? pair.loop_state : pair.tree_state;
          m.in_model(with_state(sample.text, sample.view(), state));
          m.see(power_error(*formulation, sample.view(), state, 0), pair.direction);
        }
      });
      continue;
    }
    list.claim(kept, 1e-7, look_at_motion, [&](Measure& m) {
      const double duration = bench.duration(0.3);
      for (std::size_t i = 0; i < 2; ++i) {
        const Sample& sample = cut ? pairs[i].loop : pairs[i].tree;
        const State& state = cut ? pairs[i].loop_state : pairs[i].tree_state;
        m.in_model(with_state(sample.text, sample.view(), state));
        m.see(energy_drift(*formulation, sample.view(), state, bench.integrator(), duration),
              [&] { return fmt::format("within {:g} s, {}", duration, pairs[i].direction); });
      }
    });
  }
}

}  // namespace

void check_joint_in_systems(const JointType& type, const Bench& bench, Checklist& list) {
  std::vector<Pair> pairs;
  if (!list.prepare("it stands in random trees and loops", sound_instances,
                    [&](Measure&) { pairs = pairs_of(type, bench); }))
    return;
  std::vector<std::optional<Response>> expected(pairs.size());
  for (const bool cut : {false, true}) check_standing(cut, pairs, expected, bench, list);
}

void check_joint(const JointType& type, const Bench& bench, Checklist& list) {
  std::vector<Sample> samples;
  const auto make = [&](Measure&) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      samples.push_back(bench.sample(seed, [&](ModelWriter& writer, Random&) {
        const std::string a = writer.add_body(), b = writer.add_body();
        writer.add_joint(tested, type.name(), type.fields(), a, b);
      }));
  };
  if (!list.prepare(instances_are_made, sound_instances, make, needs_example)) return;
  check_joint_motion(type, bench, samples, list);
  check_joint_in_systems(type, bench, list);
}

}  // namespace polyform::host::conformance
