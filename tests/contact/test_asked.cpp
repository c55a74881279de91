// What is looked at of many contacts: in the steps what touches, for events what may meet.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "contact_types.hpp"
#include "exact_run.hpp"
#include "polyform/contract/asked_rows.hpp"
#include "polyform/contract/unilateral.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// How many points were looked at, and how many would have been if all were each time.
struct Looks {
  double asked = 0, all = 0;
};
Looks& looks() {
  static Looks counted;
  return counted;
}

/// Rigid contacts that count their points.
class CountedBatch final : public ForceBatch, public UnilateralRows, public AskedRows {
 public:
  explicit CountedBatch(ForceBatch* batch) : batch_(batch), rows_(ask<UnilateralRows>(*batch)) {}
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override { batch_->evaluate(in, out); }
  void initial_states(std::span<double> x) const noexcept override { batch_->initial_states(x); }
  void destroy() noexcept override {
    batch_->destroy();
    delete this;
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == UnilateralRows::interface_name) return static_cast<UnilateralRows*>(this);
    if (asked == AskedRows::interface_name) return static_cast<AskedRows*>(this);
    return batch_->query(asked);
  }
  std::size_t point_count() const noexcept override { return rows_->point_count(); }
  void describe_point(std::size_t k, UnilateralPoint& out) const noexcept override { rows_->describe_point(k, out); }
  void evaluate_points(const EventInput& in, UnilateralOutput& out) noexcept override {
    looks().asked += static_cast<double>(point_count());
    looks().all += static_cast<double>(point_count());
    rows_->evaluate_points(in, out);
  }
  void evaluate_asked(const EventInput& in, std::span<const std::size_t> points,
                      UnilateralOutput& out) noexcept override {
    looks().asked += static_cast<double>(points.size());
    looks().all += static_cast<double>(point_count());
    ask<AskedRows>(*batch_)->evaluate_asked(in, points, out);
  }
  void bound_gaps(const EventInput& in, std::span<double> apart, std::span<double> speeds) noexcept override {
    ask<AskedRows>(*batch_)->bound_gaps(in, apart, speeds);
  }
  void put_forces(const EventInput& in, std::span<const double> forces, std::span<double> x) noexcept override {
    rows_->put_forces(in, forces, x);
  }
  void put_modes(std::span<const UnilateralMode> modes, std::span<double> x) noexcept override {
    rows_->put_modes(modes, x);
  }
  void pass_impact(std::size_t point, double loss, std::span<double> x) noexcept override {
    rows_->pass_impact(point, loss, x);
  }

 private:
  ForceBatch* batch_;
  UnilateralRows* rows_;
};

class CountedType final : public ForceType {
 public:
  CountedType() : descriptor_(contact::rigid_contact().descriptor()) { descriptor_.name = "counted-contact"; }
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    return contact::rigid_contact().define(instance, number, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return new CountedBatch(contact::rigid_contact().create(instances));
  }
  const void* query(std::string_view asked) const noexcept override { return contact::rigid_contact().query(asked); }

 private:
  TypeDescriptor descriptor_;
};

constexpr std::size_t balls = 6;

/// Balls of 0.1 m that slide side by side on a plane, so far apart, m, with a contact for each pair and plane.
std::string sliding_balls(double apart, double speed) {
  std::string bodies, joints, forces;
  for (std::size_t i = 0; i < balls; ++i) {
    bodies += fmt::format(
        "  - {{name: b{0}, mass: 1, inertia: {{xx: 0.004, yy: 0.004, zz: 0.004}}, position: [0, {1}, 0.1],\n"
        "     geometry: [{{type: sphere, radius: 0.1}}]}}\n",
        i, static_cast<double>(i) * (0.2 + apart));
    joints += fmt::format(
        "  - {{name: j{0}, type: free, base: ground, moving: b{0}, initial: {{velocity: [{1}, 0, 0, 0, 0, 0]}}}}\n", i,
        speed);
    const auto contact = [&](const std::string& other) {
      forces += fmt::format(
          "  - {{name: c{0}{1}, type: counted-contact, a: b{0}, b: {1}, law: rigid, friction: {{dynamic: 0.3}}}}\n", i,
          other);
    };
    contact("ground");
    for (std::size_t k = 0; k < i; ++k) contact(fmt::format("b{}", k));
  }
  return "polyform: 1\ngravity: [0, 0, -9.81]\nground: {geometry: [{type: plane}]}\nbodies:\n" + bodies + "joints:\n" +
         joints + "forces:\n" + forces;
}

Looks looks_of(const std::string& model, double duration) {
  static const CountedType counted;
  const auto system = system_with_types(model, std::array<const ForceType*, 1>{&counted});
  looks() = {};
  host::RunSettings settings = exact_run(duration);
  settings.max_step = 0.002;
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings);
  // Sliding and then rolling, each as if it were alone.
  for (std::size_t i = 0; i < balls; ++i) CHECK(std::abs(ended.positions[i].z - 0.1) < 1e-12);
  return looks();
}

}  // namespace

TEST_CASE("steps look at the points that touch alone") {
  // Of 21 contacts 6 touch. The others are near: they are looked at where the run looks for events, and for rows.
  const Looks near = looks_of(sliding_balls(0.005, 1), 0.3);
  CHECK(near.asked < 0.6 * near.all);
}

TEST_CASE("what is far apart for its speed is not looked at for events") {
  // Of the balls that are near, each has one beside it: five pairs are looked at twice or more in each of 50 steps.
  const Looks near = looks_of(sliding_balls(0.005, 0.3), 0.1), far = looks_of(sliding_balls(2, 0.3), 0.1);
  CHECK(near.asked - far.asked > 2 * 5 * 50);
  CHECK(far.asked < 0.45 * far.all);
}

// A plate is driven from 3 m above a ball to 3 m below it within a tenth of a second, from rest to rest, in one smooth
// piece of motion. It meets the ball shortly before the middle, presses it on, and lets it go with its largest speed,
// 6 · 1.5/0.1 m/s.
TEST_CASE("an impact within a motion that time drives from rest to rest in one step is seen") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {name: p, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, position: [0, 0, 3],\n"
      "     geometry: [{type: box, size: [0.1, 0.1, 0.02]}]}\n"
      "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, geometry: [{type: sphere, radius: 0.03}]}\n"
      "joints:\n  - {name: j, type: prismatic, base: ground, moving: p, axis: [0, 0, 1], position: [0, 0, 3]}\n"
      "  - {name: f, type: free, base: ground, moving: a}\n"
      "constraints:\n  - {name: d, type: prescribed-motion, joint: j, motion: {expression: \"-6*step(t, 0.2, 0, 0.3, 1)\"}}\n"
      "contacts: {all: true, law: rigid, restitution: 0}\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::RunSettings settings = exact_run(1);
    settings.output_interval = 1;
    const Ended ended = run_to_end(*system, *formulation, settings);
    CHECK(ended.velocities[1].z == Approx(-90).epsilon(1e-6));
  }
}
