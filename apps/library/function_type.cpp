#include "apps/library/function_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "framework/host/reading/report.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform::library {

namespace {

thread_local FunctionCalls* calls_of_thread = nullptr;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

enum FunctionField : std::size_t { joints_field, points_field };
constexpr std::array function_fields{
    FieldSpec{.name = "joints", .type = FieldType::joints, .unit = "", .meaning = "joints whose motion it is given"},
    FieldSpec{.name = "points", .type = FieldType::markers, .unit = "", .meaning = "points whose motion it is given"}};

std::array<double, 3> numbers_of(const Vec3& v) { return {v.x, v.y, v.z}; }

/// The one instance of a function in one solver.
class FunctionBatch final : public ForceBatch, public EventSource, public DiscreteElement {
 public:
  FunctionBatch(const FunctionForce& force, const ElementInstance& instance)
      : force_(force), points_(instance.markers.size()), forces_(instance.markers.size()) {}

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    if (!force_.law) return;
    std::ranges::fill(forces_, std::array<double, 6>{});
    const bool done = call([&] { force_.law(input_of(in), {out.efforts, forces_, out.state_rates}); });
    if (!done) {
      std::ranges::fill(out.efforts, no_number);
      std::ranges::fill(out.state_rates, no_number);
      for (Spatial& wrench : out.wrenches) wrench.linear.x = no_number;
      return;
    }
    for (std::size_t k = 0; k < out.efforts.size(); ++k) out.power += out.efforts[k] * in.v[k];
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      const std::array<double, 6>& f = forces_[k];
      const Vec3 force{f[0], f[1], f[2]}, moment{f[3], f[4], f[5]};
      out.wrenches[k].linear += force;
      out.wrenches[k].angular += moment;
      out.power += dot(force, in.markers[k].velocity) + dot(moment, in.markers[k].angular_velocity);
    }
  }
  void initial_states(std::span<double> states) const noexcept override {
    for (std::size_t k = 0; k < states.size(); ++k) states[k] = force_.states[k].initial;
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (force_.events.empty()) return nullptr;
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    return asked == DiscreteElement::interface_name ? static_cast<DiscreteElement*>(this) : nullptr;
  }

  std::size_t event_count() const noexcept override { return force_.events.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = 0;
    out.name = force_.events[k].name;
    out.crossing = static_cast<Crossing>(static_cast<int>(force_.events[k].crossing));
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t k = 0; k < force_.events.size(); ++k)
      if (!call([&] { out.values[k] = force_.events[k].value(input_of(*in.attachments)); })) out.values[k] = no_number;
  }
  void initial_values(std::span<std::int32_t>) const noexcept override {}
  void pass_event(std::size_t k, bool rising, const EventInput& in, std::span<std::int32_t> values) noexcept override {
    const FunctionEvent& event = force_.events[k];
    FunctionCalls* const calls = FunctionCalls::current();
    if (event.ends_run && calls != nullptr) calls->end_run(event.name);
    if (event.passed) call([&] { values[0] = event.passed(input_of(*in.attachments), rising); });
  }

 private:
  /// Calls the function. False if it throws, now or in an earlier call.
  template <class Function>
  bool call(Function function) noexcept {
    FunctionCalls* const calls = FunctionCalls::current();
    if (calls != nullptr && calls->thrown()) return false;
    try {
      function();
      return true;
    } catch (...) {
      if (calls != nullptr) calls->keep(std::current_exception(), force_.name);
      return false;
    }
  }
  const FunctionInput& input_of(const ForceInput& in) {
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const MarkerMotion& m = in.markers[k];
      std::copy(std::begin(m.R.m), std::end(m.R.m), points_[k].rotation.begin());
      points_[k].position = numbers_of(m.position);
      points_[k].velocity = numbers_of(m.velocity);
      points_[k].angular_velocity = numbers_of(m.angular_velocity);
    }
    input_ = {in.time, in.q, in.v, points_, in.states, in.discrete.empty() ? 0 : in.discrete[0]};
    return input_;
  }

  const FunctionForce& force_;
  std::vector<Motion> points_;
  std::vector<std::array<double, 6>> forces_;
  FunctionInput input_;
};

template <class Items>
std::size_t place_of(const Items& items, const std::string& name, const char* kind, const std::string& force) {
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k].name == name) return k;
    names.push_back(items[k].name);
  }
  throw host::Failure(host::Exit::bad_input,
                      fmt::format("the function {} acts on the {} {}, which the model does not have", host::show(force),
                                  kind, host::show(name)),
                      host::did_you_mean(name, names) + fmt::format("It has: {}.", host::listing(names)));
}

template <class... Lists>
bool is_taken(const std::string& name, const Lists&... lists) {
  return (std::ranges::any_of(lists, [&](const auto& item) { return item.name == name; }) || ...);
}

}  // namespace

FunctionCalls::FunctionCalls() noexcept : outer_(calls_of_thread) { calls_of_thread = this; }
FunctionCalls::~FunctionCalls() { calls_of_thread = outer_; }
FunctionCalls* FunctionCalls::current() noexcept { return calls_of_thread; }
void FunctionCalls::keep(std::exception_ptr thrown, std::string_view whose) noexcept {
  if (thrown_) return;
  thrown_ = std::move(thrown);
  try {
    whose_ = whose;
  } catch (const std::exception&) {  // the message then lacks the name
  }
}
void FunctionCalls::end_run(std::string_view event) noexcept {
  try {
    ended_by_ = event;
  } catch (const std::exception&) {
    ended_by_ = "?";
  }
}

FunctionType::FunctionType(FunctionForce force) : force_(std::move(force)) {
  for (const FunctionForce::State& s : force_.states) states_.push_back({.name = s.name, .unit = s.unit});
  if (force_.modes.empty()) force_.modes = {"0"};
  for (const std::string& mode : force_.modes) modes_.push_back(mode);
  discrete_[0] = {.name = "mode", .meaning = "which law the function has now", .values = modes_};
  descriptor_.name = "function";
  descriptor_.meaning = "a function of the program";
  descriptor_.fields = function_fields;
  descriptor_.states = states_;
  if (!force_.events.empty()) descriptor_.discrete = discrete_;
}

ForceBatch* FunctionType::create(Strided<const ElementInstance> instances) const noexcept {
  try {
    return new FunctionBatch(force_, instances[0]);
  } catch (const std::exception&) {
    return nullptr;
  }
}

void FunctionType::add_to(host::Description& model) const {
  if (force_.name.empty())
    throw host::Failure(host::Exit::bad_input, "a function has no name", "Give it one: results are named after it.");
  if (is_taken(force_.name, model.forces, model.constraints, model.modules, model.bodies, model.joints))
    throw host::Failure(host::Exit::bad_input, fmt::format("the name {} is taken", host::show(force_.name)),
                        "Name the function otherwise.");
  for (const FunctionEvent& event : force_.events)
    if (!event.value)
      throw host::Failure(host::Exit::bad_input, fmt::format("the event {} of {} has no function",
                                                             host::show(event.name), host::show(force_.name)));
  host::ForceItem item;
  item.name = force_.name;
  item.path = fmt::format("forces[{}]", model.forces.size());
  item.type = this;
  item.fields.values.resize(function_fields.size());
  item.fields.places.resize(function_fields.size());
  std::vector<JointIndex>& joints = model.joint_lists.emplace_back();
  for (const std::string& joint : force_.joints)
    joints.push_back(joint_index(place_of(model.joints, joint, "joint", force_.name)));
  std::vector<BodyIndex>& bodies = model.body_lists.emplace_back();
  std::vector<Vec3>& points = model.point_lists.emplace_back();
  for (const FunctionForce::Point& point : force_.points) {
    bodies.push_back(point.body == "ground" ? BodyIndex::ground
                                            : body_index(place_of(model.bodies, point.body, "body", force_.name)));
    points.push_back({point.at[0], point.at[1], point.at[2]});
  }
  item.fields.values[joints_field].given = !joints.empty();
  item.fields.values[joints_field].joints = joints;
  item.fields.values[points_field].given = !bodies.empty();
  item.fields.values[points_field].bodies = bodies;
  item.fields.values[points_field].points = points;
  model.forces.push_back(std::move(item));
}

}  // namespace polyform::library
