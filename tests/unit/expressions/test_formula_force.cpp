// The element that carries signals and forces with formulas: what it reads, gives on and tells.
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <numbers>

#include "framework/host/expressions/formula_batch.hpp"

using namespace polyform;
using namespace polyform::host::expressions;

namespace {

/// An effort on a joint, given by a function: that, twice, and its work.
class Effort final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr FieldSpec specs[] = {
        {.name = "joint", .type = FieldType::joint, .unit = "", .meaning = ""},
        {.name = "effort", .type = FieldType::time_function, .unit = "", .meaning = ""}};
    static constexpr TypeDescriptor descriptor{.name = "effort", .meaning = "for the tests", .fields = specs};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return new Batch(instances[0].fields[1].functions[0]);
  }

 private:
  struct Batch final : ForceBatch {
    explicit Batch(TimeFunction given) : f(given) {}
    void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
      out.efforts[0] = f(in.time).value;
      out.power = out.efforts[0] * in.v[0];
    }
    void destroy() noexcept override { delete this; }
    TimeFunction f;
  };
};

/// An effort that keeps in its state what its function was when its event function last changed its sign.
class Keeper final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr FieldSpec specs[] = {
        {.name = "joint", .type = FieldType::joint, .unit = "", .meaning = ""},
        {.name = "effort", .type = FieldType::time_function, .unit = "", .meaning = ""}};
    static constexpr Variable states[] = {{.name = "kept", .unit = "1"}};
    static constexpr TypeDescriptor descriptor{
        .name = "keeper", .meaning = "for the tests", .fields = specs, .states = states};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return new Batch(instances[0].fields[1].functions[0]);
  }

 private:
  struct Batch final : ForceBatch, EventSource, StateJumps {
    explicit Batch(TimeFunction given) : f(given) {}
    void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
      out.efforts[0] = in.states[0];
      out.state_rates[0] = 0;
    }
    void destroy() noexcept override { delete this; }
    void* query(std::string_view asked) noexcept override {
      if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
      return asked == StateJumps::interface_name ? static_cast<StateJumps*>(this) : nullptr;
    }
    std::size_t event_count() const noexcept override { return 1; }
    void describe_event(std::size_t, EventDescription& out) const noexcept override { out.name = "kept"; }
    void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
      out.values[0] = in.attachments->q[0];
    }
    void jump_states(std::size_t, bool rising, const EventInput& in, std::span<double> states) noexcept override {
      states[0] = (rising ? 1 : -1) * f(in.attachments->time).value;
    }
    TimeFunction f;
  };
};

class Unheard final : public FieldSink {
 public:
  void report(Severity, std::size_t, std::size_t, std::string_view message, std::string_view) noexcept override {
    told = message;
  }
  std::string told;
};

/// Efforts with formulas on joints of one coordinate; the last ones are read only.
struct Bench {
  NodeIndex q(int joint) { return all.input({StateInput::Kind::position, joint, 0, false}); }
  NodeIndex t() { return all.graph.input(0); }
  NodeIndex state(std::uint32_t k) { return all.input({StateInput::Kind::state, -1, k, true}); }
  NodeIndex held(std::uint32_t k) { return all.input({StateInput::Kind::held, -1, k, true}); }
  void follow(NodeIndex root) {
    StateFormula& formula = *formulas.emplace_back(std::make_unique<StateFormula>(root));
    TimeFunction f;
    f.kind = TimeFunction::Kind::other;
    f.source = &formula;
    functions.push_back({f});
    fields.push_back(std::vector<FieldValue>(2));
    fields.back()[1].functions = functions.back();
    forces.push_back({"f", followers, fields.back()});
  }
  /// joints: shapes of those of the forces and of those that are read.
  void make(std::vector<FormulaState> states = {}, std::vector<FormulaSample> samples = {},
            std::vector<FormulaOutput> outputs = {}) {
    element = std::make_unique<FormulaForce>(all, forces, std::move(states), std::move(samples), std::move(outputs));
    for (const std::vector<FieldValue>& own : fields) whole.insert(whole.end(), own.begin(), own.end());
    whole.resize(whole.size() + 2);
    shapes.assign(forces.size() + element->joints().size(), JointShape{.nq = 1, .nv = 1, .primitives = {}});
    instance = ElementInstance{.fields = Strided<const FieldValue>(whole.data(), whole.size()),
                               .joints = Strided<const JointShape>(shapes.data(), shapes.size())};
    REQUIRE(element->define(instance, 0, sink));
    ForceBatch* made = element->create(Strided<const ElementInstance>(&instance, 1));
    REQUIRE(made != nullptr);
    batch = std::unique_ptr<ForceBatch, void (*)(ForceBatch*)>(made, [](ForceBatch* b) { b->destroy(); });
    discrete.resize(element->descriptor().discrete.size());
    if (auto* d = ask<DiscreteElement>(*batch)) d->initial_values(discrete);
  }
  ForceInput input(double time) {
    return {.time = time, .q = coordinates, .v = velocities, .states = x, .discrete = discrete};
  }
  std::vector<double> efforts(double time) {
    std::vector<double> out(velocities.size());
    rates.assign(x.size(), 0);
    ForceOutput output{.efforts = out, .state_rates = rates};
    batch->evaluate(input(time), output);
    power = output.power;
    return out;
  }

  Effort type;
  Keeper keeper;
  const ForceType* followers = &type;  ///< the type of the forces that come next
  Formulas all;
  std::vector<std::unique_ptr<StateFormula>> formulas;
  std::deque<std::vector<TimeFunction>> functions;
  std::deque<std::vector<FieldValue>> fields;
  std::vector<FollowingForce> forces;
  std::unique_ptr<FormulaForce> element;
  std::vector<FieldValue> whole;
  std::vector<JointShape> shapes;
  ElementInstance instance;
  Unheard sink;
  std::unique_ptr<ForceBatch, void (*)(ForceBatch*)> batch{nullptr, nullptr};
  std::vector<double> coordinates, velocities, x, rates;
  std::vector<std::int32_t> discrete;
  double power = 0;
};

}  // namespace

TEST_CASE("a force gets the value of its formula") {
  Bench b;
  Graph& g = b.all.graph;
  b.follow(g.add(Code::multiply, g.constant(-3), b.q(7)));
  b.make();
  CHECK(b.element->descriptor().name == "effort");
  CHECK(b.element->joints() == std::vector<JointIndex>{static_cast<JointIndex>(7)});
  b.coordinates = {0.1, 0.5};  // of the joint with the effort, and of the one that is read
  b.velocities = {2, 9};
  CHECK(b.efforts(0)[0] == -1.5);
  CHECK(b.power == -3);
  CHECK(ask<EventSource>(*b.batch) == nullptr);
  CHECK(ask<OutputSource>(*b.batch) == nullptr);
}

TEST_CASE("states of signals come first, and two forces follow them") {
  Bench b;
  Graph& g = b.all.graph;
  b.follow(b.state(1));
  b.follow(g.add(Code::add, b.state(0), b.q(4)));
  b.make({{"signal.a.x", 2, g.add(Code::negate, b.state(0))}, {"signal.b.x", 5, b.q(4)}}, {},
         {{"signal.a", b.state(0)}, {"signal.twice", g.add(Code::multiply, g.constant(2), b.q(4))}});
  CHECK(b.element->query(FormulaForce::full_names) != nullptr);
  b.coordinates = {0, 0, 10};
  b.velocities = {1, 2, 3};
  b.x = {2, 5};
  CHECK(b.efforts(0) == std::vector<double>{5, 12, 0});
  CHECK(b.rates == std::vector<double>{-2, 10});
  std::vector<double> initial(2), shown(2);
  b.batch->initial_states(initial);
  CHECK(initial == std::vector<double>{2, 5});
  const ForceInput in = b.input(0);
  ask<OutputSource>(*b.batch)->evaluate_outputs({.attachments = &in}, shown);
  CHECK(shown == std::vector<double>{2, 20});
}

TEST_CASE("bends by the state are events, bends by the clock are knots") {
  Bench b;
  Graph& g = b.all.graph;
  const NodeIndex late = g.add(Code::maximum, b.t(), g.constant(3));
  b.follow(g.add(Code::multiply, late, g.add(Code::absolute, g.add(Code::subtract, b.q(4), g.constant(1)))));
  b.make();
  auto* events = ask<EventSource>(*b.batch);
  REQUIRE(events != nullptr);
  REQUIRE(events->event_count() == 1);
  CHECK(events->next_knot(0) == Approx(3).epsilon(1e-12));
  CHECK(events->next_knot(3.5) == never);
  b.coordinates = {0, 0.25};
  b.velocities = {0, 0};
  double value = 0, rate = 0;
  const ForceInput in = b.input(1);
  EventInput at{.attachments = &in};
  EventOutput out;
  out.values = {&value, 1};
  out.rates = {&rate, 1};
  events->evaluate_events(at, out);
  CHECK(value == -0.75);
}

TEST_CASE("a sampler holds a number to its last bit, and takes the next at its instant") {
  Bench b;
  const double odd = -1.0 / 3;
  b.follow(b.held(0));
  b.make({}, {{"signal.s", 0.5, odd, b.q(4), b.q(4)}, {"signal.z", 0.5, 0, b.held(0), b.held(0)}});
  b.coordinates = {0, std::numbers::pi};
  b.velocities = {0, 0};
  b.x = {odd, 0};
  CHECK(b.efforts(0)[0] == odd);
  auto* events = ask<EventSource>(*b.batch);
  REQUIRE(events != nullptr);
  REQUIRE(events->event_count() == 1);
  auto* jumps = ask<StateJumps>(*events);
  REQUIRE(jumps != nullptr);
  const ForceInput in = b.input(0.5);
  std::vector<double> next = b.x;
  jumps->jump_states(0, false, {.attachments = &in}, next);
  CHECK(next[1] == odd);  // what the first sampler held before
  b.x = next;
  CHECK(b.efforts(0.5)[0] == std::numbers::pi);
  std::vector<double> values(1), rates(1);
  const ForceInput later = b.input(0.6);
  EventOutput out;
  out.values = values;
  out.rates = rates;
  events->evaluate_events({.attachments = &later}, out);
  CHECK(values[0] < 0);  // between 0.5 and 1
  CHECK(out.guard == Approx(0.525));
}

TEST_CASE("a force with a formula keeps the jumps of its states") {
  Bench b;
  b.follow(b.t());
  b.followers = &b.keeper;
  b.follow(b.q(4));
  b.make();
  auto* events = ask<EventSource>(*b.batch);
  REQUIRE(events != nullptr);
  REQUIRE(events->event_count() == 1);
  auto* jumps = ask<StateJumps>(*events);
  REQUIRE(jumps != nullptr);
  b.coordinates = {0, 0, 2.5};
  b.velocities = {0, 0, 0};
  b.x = {0};
  const ForceInput in = b.input(1);
  std::vector<double> states = b.x;
  jumps->jump_states(0, false, {.attachments = &in}, states);
  CHECK(states[0] == -2.5);
  b.x = states;
  CHECK(b.efforts(1)[1] == -2.5);
}

TEST_CASE("a force with a formula knows the shapes of its bodies") {
  const BodyShapes shapes[3];
  const ElementInstance whole{.shapes = Strided<const BodyShapes>(shapes, 3)};
  FormulaForce::Part part;
  part.marker = 1;
  part.markers = 2;
  const ElementInstance own = own_instance(part, whole);
  REQUIRE(own.shapes.size() == 2);
  CHECK(&own.shapes[0] == &shapes[1]);
}

TEST_CASE("a coordinate that a joint has not is refused") {
  Bench b;
  b.follow(b.all.input({StateInput::Kind::velocity, 4, 3, true}));
  b.element = std::make_unique<FormulaForce>(b.all, b.forces);
  b.whole = b.fields.front();
  b.whole.resize(4);
  b.shapes.assign(2, JointShape{.nq = 1, .nv = 1, .primitives = {}});
  b.instance = ElementInstance{.fields = Strided<const FieldValue>(b.whole.data(), b.whole.size()),
                               .joints = Strided<const JointShape>(b.shapes.data(), b.shapes.size())};
  CHECK_FALSE(b.element->define(b.instance, 0, b.sink));
  CHECK(b.sink.told == "a formula reads v(joint, 3), but the joint has 1 velocity coordinate");
}
