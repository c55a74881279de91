// Links of frames, as other programs write them: without mass, or of next to none, beside the joint that closes a loop,
// and with numbers that carry rounding. A frame welded to a body is a part of it, so the truth is the same loop without
// frames, whose bodies have taken their mass and inertia.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <optional>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

struct Frames {
  double mass = 0;    ///< kg, of each of the two
  double offset = 0;  ///< of their origins from the joint between them, m
  double noise = 0;   ///< on every number of the model, in both directions
};

const Vec3 closing{0.9, -0.4, 0.3};  ///< where the last joint is
constexpr double gyration = 0.01;    ///< moment of inertia of a frame over its mass, m²

struct Part {
  const char* name;
  Vec3 position, center;  ///< center: of mass, from the position
};
constexpr Part parts[] = {{"first", {0, 0, 0}, {0.2, 0.1, 0}},
                          {"second", {0.1, 0.7, 0.2}, {0.1, 0, 0.1}},
                          {"third", {0.5, 0.9, 0.4}, {0.1, -0.2, 0}},
                          {"last", {0.9, 0.5, 0.1}, {0, -0.3, 0.1}}};

/// Writes a loop of four bodies of 1 kg, closed by a joint of the given type, with frames at that joint or merged.
class Loop {
 public:
  Loop(std::string type, const Frames& frames, bool merged)
      : type_(std::move(type)), frames_(frames), merged_(merged) {}

  std::string text() {
    std::string bodies, joints;
    for (const Part& part : parts) bodies += body(part);
    const auto joint = [&](const char* name, const char* type, const char* base, const char* moving, const Vec3& at,
                           const std::string& more = "") {
      joints += fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}, position: {}{}}}\n", name, type, base,
                            moving, vector(at), more);
    };
    const auto axes = [&](const Vec3& one) { return ", axis: " + vector(one); };
    joint("A", "revolute", "ground", "first", {0, 0, 0}, axes({0, 0, 1}) + ", initial: {velocity: 0.5}");
    joint("B", "revolute", "first", "second", {0.1, 0.7, 0.2}, axes({1, 0, 0}));
    joint("C", "universal", "second", "third", {0.5, 0.9, 0.4}, axes({0, 1, 0}) + ", axis2: " + vector({0.6, 0, 0.8}));
    joint("D", "spherical", "third", "last", {0.9, 0.5, 0.1});
    joint("E", "revolute", "last", "foot", {0.9, 0.2, 0.2}, axes({0, 0.6, 0.8}));
    bodies += body({"foot", {0.9, 0.2, 0.2}, {0.1, -0.1, 0}});
    const char *base = "first", *moving = "foot";
    if (!merged_) {
      bodies += frame("on_first", {1, -0.5, 0.25}) + frame("on_foot", {-0.5, 1, 0.5});
      joint("weld1", "fixed", base, "on_first", closing);
      joint("weld2", "fixed", moving, "on_foot", closing);
      base = "on_first", moving = "on_foot";
    }
    std::string more;
    if (type_ != "fixed" && type_ != "spherical") more = axes({0.8, 0.6, 0});
    if (type_ == "universal" || type_ == "planar" || type_ == "perpendicular" || type_ == "point-on-plane")
      more += ", axis2: " + vector({0, 0, 1});
    if (type_ == "helical") more += ", pitch: 0.11";
    joint("close", type_.c_str(), base, moving, closing, more);
    return "polyform: 1\nname: frames\ngravity: [0.5, -9.81, 1]\nbodies:\n" + bodies + "joints:\n" + joints;
  }

 private:
  double number(double x) {
    // A pattern without order, by the golden ratio.
    return x + frames_.noise * (2 * std::fmod(0.6180339887498949 * ++count_, 1) - 1);
  }
  std::string vector(const Vec3& v) { return fmt::format("[{}, {}, {}]", number(v.x), number(v.y), number(v.z)); }
  Vec3 place(const Vec3& direction) const { return closing + frames_.offset * direction; }

  /// A body of 1 kg; of the merged loop, with the frame that is welded to it.
  std::string body(const Part& part) {
    double mass = 1;
    Vec3 center = part.center;
    Sym3 J{0.03, 0.05, 0.04, 0.002, 0, -0.003};
    const bool first = std::string_view(part.name) == "first", foot = std::string_view(part.name) == "foot";
    if (merged_ && (first || foot) && frames_.mass > 0) {
      const Vec3 of_frame = place(first ? Vec3{1, -0.5, 0.25} : Vec3{-0.5, 1, 0.5}) - part.position;
      const Vec3 apart = of_frame - center;
      const double reduced = frames_.mass / (1 + frames_.mass), own = gyration * frames_.mass;
      const auto add = [&](double& value, double more) { value += more; };
      add(J.xx, own + reduced * (apart.y * apart.y + apart.z * apart.z));
      add(J.yy, own + reduced * (apart.x * apart.x + apart.z * apart.z));
      add(J.zz, own + reduced * (apart.x * apart.x + apart.y * apart.y));
      add(J.xy, -reduced * apart.x * apart.y);
      add(J.xz, -reduced * apart.x * apart.z);
      add(J.yz, -reduced * apart.y * apart.z);
      center += reduced * apart;
      mass += frames_.mass;
    }
    return fmt::format(
        "  - {{name: {}, position: {}, mass: {}, center_of_mass: {}, inertia: {{xx: {}, yy: {}, zz: {}, xy: {}, xz: "
        "{}, "
        "yz: {}}}}}\n",
        part.name, vector(part.position), mass, vector(center), J.xx, J.yy, J.zz, J.xy, J.xz, J.yz);
  }
  std::string frame(const char* name, const Vec3& direction) {
    const double J = gyration * frames_.mass;
    return fmt::format(
        "  - {{name: {}, position: {}, mass: {}, center_of_mass: [0, 0, 0], inertia: {{xx: {}, yy: {}, zz: {}}}}}\n",
        name, vector(place(direction)), frames_.mass, J, J, J);
  }

  std::string type_;
  Frames frames_;
  bool merged_;
  int count_ = 0;
};

/// Accelerations of the bodies that both loops have.
std::optional<std::vector<double>> accelerations(const host::System& system, const Formulation& formulation,
                                                 std::string& refusal) {
  const auto solver = solver_for(system, formulation);
  std::vector<double> y(solver->state_size()), out;
  host::ObservationStore store(system.view());
  if (solver->encode(system.initial_state(), y) != Status::ok || solver->observe(0, y, store.now()) != Status::ok) {
    refusal = solver->failure();
    return {};
  }
  for (const char* name : {"first", "second", "third", "last", "foot"})
    for (std::size_t i = 0; i < system.view().bodies.size(); ++i)
      if (system.view().bodies[i].name == name)
        for (const Vec3& a : {store.now().bodies[i].acceleration, store.now().bodies[i].angular_acceleration})
          out.insert(out.end(), {a.x, a.y, a.z});
  return out;
}

double largest(const std::vector<double>& a) {
  double most = 0;
  for (const double x : a) most = std::max(most, std::abs(x));
  return most;
}

void check(const std::string& type, const Frames& frames, const std::vector<double>& truth) {
  const auto system = system_from_text(Loop(type, frames, false).text());
  const auto formulations = formulations_for(*system);
  CHECK(formulations.size() == 6);
  for (const Formulation* formulation : formulations) {
    std::string refusal;
    const auto found = accelerations(*system, *formulation, refusal);
    INFO(formulation->name() << ", closed by " << type << ", frames of " << frames.mass << " kg, " << frames.offset
                             << " m off, noise of " << frames.noise << (refusal.empty() ? "" : ": refused, ")
                             << refusal);
    CHECK(found);
    if (!found) continue;
    REQUIRE(found->size() == truth.size());
    double error = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) error = std::max(error, std::abs((*found)[i] - truth[i]));
    CHECK(error < 1e-9 * largest(truth));
  }
}

constexpr const char* types[] = {"fixed",  "revolute",      "prismatic", "cylindrical",   "universal",      "spherical",
                                 "planar", "perpendicular", "parallel",  "point-on-line", "point-on-plane", "helical"};

}  // namespace

TEST_CASE("a loop moves alike whatever the mass of the frames beside its last joint, and however near they are") {
  const double offsets[] = {0, 1e-18, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
  for (const char* type : types)
    for (const double mass : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0}) {
      std::vector<double> truth;
      for (const double offset : offsets) {
        if (truth.empty() || (mass > 1e-12 && offset > 1e-13)) {
          // Without frames all formulations agree, so the truth may come from one that has no rows to solve for.
          const auto merged = system_from_text(Loop(type, {mass, offset, 0}, true).text());
          std::string refusal;
          const auto found = accelerations(*merged, *registry().catalog().formulations.at("riccati"), refusal);
          INFO(refusal);
          REQUIRE(found);
          truth = *found;
        }
        check(type, {mass, offset, 0}, truth);
      }
    }
}

TEST_CASE("rounding in the numbers of a model with frames leaves its accelerations alone") {
  for (const char* type : types) {
    const auto merged = system_from_text(Loop(type, {}, true).text());
    std::string refusal;
    const auto truth = accelerations(*merged, *registry().catalog().formulations.at("riccati"), refusal);
    REQUIRE(truth);
    for (const double mass : {0.0, 1e-9})
      for (const double noise : {1e-17, 1e-16, 1e-15, 1e-14}) check(type, {mass, 0, noise}, *truth);
  }
}

// The loop is cut at the weld of a frame, which hangs on the next link by a pin alone: there it gives way by the
// inverse of next to nothing.
TEST_CASE("a loop that is cut beside a frame of next to no mass moves as with a frame of none") {
  const auto link = [](const char* name, const char* position, double mass, const char* center) {
    return fmt::format(
        "  - {{name: {}, position: {}, mass: {}, center_of_mass: {}, "
        "inertia: {{xx: {}, yy: {}, zz: {}}}}}\n",
        name, position, mass, center, 0.02 * mass, 0.026 * mass, 0.034 * mass);
  };
  const auto four_bar = [&](double mass) {
    return "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + link("first", "[0, 0, 0]", 1, "[0.15, 0.2, 0.05]") +
           link("frame", "[0.3, 0.4, 0]", mass, "[0, 0, 0]") + link("second", "[0.3, 0.4, 0]", 1, "[0.5, 0.25, 0]") +
           link("other_frame", "[1.3, 0.9, 0]", mass, "[0, 0, 0]") +
           link("third", "[1.1, 0, 0]", 1, "[0.1, 0.45, 0.02]") + R"(joints:
  - {name: A, type: revolute, base: ground, moving: first, position: [0.1, -0.1, -0.1], axis: [0, 0, 1]}
  - {name: w1, type: fixed, base: first, moving: frame, position: [0.4, 0.5, 0.1]}
  - {name: B, type: revolute, base: frame, moving: second, position: [0.2, 0.3, 0.1], axis: [0, 0, 1]}
  - {name: w2, type: fixed, base: second, moving: other_frame, position: [1.4, 0.8, 0.1], cut: true}
  - {name: C, type: revolute, base: other_frame, moving: third, position: [1.2, 1.0, 0.1], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: third, position: [1.0, 0.1, -0.1], axis: [0, 0, 1]}
)";
  };
  const auto of = [](const host::System& system, const Formulation& formulation, const SolverOptions& options = {}) {
    const auto solver = solver_for(system, formulation, options);
    std::vector<double> y(solver->state_size()), out;
    host::ObservationStore store(system.view());
    INFO(formulation.name());
    REQUIRE(solver->encode(system.initial_state(), y) == Status::ok);
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    for (std::size_t i = 0; i < system.view().bodies.size(); ++i)
      for (const Vec3& a : {store.now().bodies[i].acceleration, store.now().bodies[i].angular_acceleration})
        out.insert(out.end(), {a.x, a.y, a.z});
    return out;
  };
  const auto without = system_from_text(four_bar(0));
  const std::vector<double> truth = of(*without, *registry().catalog().formulations.at("cartesian"));
  const auto see = [&](const std::vector<double>& found) {
    REQUIRE(found.size() == truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) CHECK(std::abs(found[i] - truth[i]) < 1e-9 * largest(truth));
  };
  for (const double mass : {1e-18, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11}) {
    const auto system = system_from_text(four_bar(mass));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", frames of " << mass << " kg");
      see(of(*system, *formulation));
    }
    INFO("the sparse equations of particles, frames of " << mass << " kg");
    see(of(*system, *registry().catalog().formulations.at("particles"), {{"equations", "sparse"}}));
  }
}

// The tilt is rounding of an axis: its row is taken as dependent, by the solvers and by the equations with twice the
// digits that judge them where large forces pass through a light frame.
TEST_CASE("frames of next to no mass beside an axis tilted by rounding change nothing") {
  const auto four_bar = [](double tilt, double mass, double offset, bool frames) {
    const auto link = [](const char* name, double x, double y, double z, double m, double J) {
      return fmt::format("  - {{name: {}, position: [{}, {}, {}], mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}}}\n",
                         name, x, y, z, m, 0.2 * J, J, J);
    };
    const auto joint = [](const char* name, const char* type, const char* base, const char* moving, double x, double y,
                          const std::string& more) {
      return fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}, position: [{}, {}, 0]{}}}\n", name, type,
                         base, moving, x, y, more);
    };
    std::string text = "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + link("p", 0.15, 0.5, 0, 1, 0.1) +
                       link("q", 1.2, 1.3, 0, 1, 0.1) + link("r", 2.25, 0.8, 0, 1, 0.1);
    if (frames)
      text += link("of_q", 2.1 + offset, 1.6 - 0.5 * offset, 0.25 * offset, mass, 0.01 * mass) +
              link("of_r", 2.1 - 0.5 * offset, 1.6 + offset, 0.5 * offset, mass, 0.01 * mass);
    text += "joints:\n" + joint("A", "revolute", "ground", "p", 0, 0, ", axis: [0, 0, 1], initial: {velocity: 1}") +
            joint("B", "revolute", "p", "q", 0.3, 1, ", axis: [0, 0, 1]");
    if (frames)
      text += joint("w1", "fixed", "q", "of_q", 2.1, 1.6, "") + joint("w2", "fixed", "r", "of_r", 2.1, 1.6, "");
    return text +
           joint("C", "revolute", frames ? "of_q" : "q", frames ? "of_r" : "r", 2.1, 1.6,
                 fmt::format(", axis: [{:.17g}, 0, {:.17g}]", std::sin(tilt), std::cos(tilt))) +
           joint("D", "revolute", "r", "ground", 2.4, 0, ", axis: [0, 0, 1]");
  };
  const auto of = [](const host::System& system, const Formulation& formulation) {
    const auto solver = solver_for(system, formulation);
    host::ObservationStore store(system.view());
    const host::Evaluation evaluation = host::evaluate(system, *solver, store);  // throws where the balance is bad
    CHECK(evaluation.warning == "");
    std::vector<double> out;
    for (const char* name : {"p", "q", "r"})
      for (std::size_t i = 0; i < system.view().bodies.size(); ++i)
        if (system.view().bodies[i].name == name)
          for (const Vec3& a : {store.now().bodies[i].acceleration, store.now().bodies[i].angular_acceleration})
            out.insert(out.end(), {a.x, a.y, a.z});
    return out;
  };
  const auto straight = system_from_text(four_bar(0, 0, 0, false));
  const std::vector<double> truth = of(*straight, *registry().catalog().formulations.at("thompson"));
  for (const double tilt : {1e-9, 1e-8})
    for (const double mass : {1e-15, 1e-12, 1e-9})
      for (const double offset : {0.0, 1e-16, 1e-8, 1e-3}) {
        const auto system = system_from_text(four_bar(tilt, mass, offset, true));
        for (const Formulation* formulation : formulations_for(*system)) {
          INFO(formulation->name() << ", tilt " << tilt << ", frames of " << mass << " kg, " << offset << " m off");
          const std::vector<double> found = of(*system, *formulation);
          REQUIRE(found.size() == truth.size());
          double error = 0;
          for (std::size_t i = 0; i < truth.size(); ++i) error = std::max(error, std::abs(found[i] - truth[i]));
          CHECK(error < (1e-9 + 30 * tilt) * largest(truth));
        }
      }
}
