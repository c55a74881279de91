#include "tests/events/elements.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "framework/host/reading/reader.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {
namespace {

struct Contact {
  double radii, stiffness, mass;
};

class Contacts final : public ForceBatch, public EventSource {
 public:
  Contacts(Strided<const ElementInstance> instances, bool tells) : tells_(tells) {
    for (const ElementInstance& i : instances) contacts_.push_back({i.fields[2].number, i.fields[3].number, 0});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Gap gap = gap_of(in, i);
      if (gap.value >= 0) continue;
      const double push = -contacts_[i].stiffness * gap.value;
      out.wrenches[2 * i].linear = -push * gap.normal;
      out.wrenches[2 * i + 1].linear = push * gap.normal;
      out.potential_energy -= 0.5 * push * gap.value;
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view name) noexcept override {
    return tells_ && name == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }

  std::size_t event_count() const noexcept override { return contacts_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k;
    out.name = "contact";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Gap gap = gap_of(*in.attachments, i);
      out.values[i] = gap.value;
      out.rates[i] = gap.rate;
    }
  }

 private:
  Gap gap_of(const ForceInput& in, std::size_t i) const noexcept {
    return sphere_gap(in.markers[2 * i], in.markers[2 * i + 1], contacts_[i].radii, 0);
  }
  std::vector<Contact> contacts_;
  bool tells_;
};

constexpr FieldSpec contact_fields[] = {
    {.name = "a", .type = FieldType::marker, .unit = "", .meaning = "one centre", .required = true},
    {.name = "b", .type = FieldType::marker, .unit = "", .meaning = "the other", .required = true},
    {.name = "radii", .type = FieldType::number, .unit = "m", .meaning = "sum of the radii", .required = true},
    {.name = "stiffness", .type = FieldType::number, .unit = "N/m", .meaning = "of the contact", .required = true}};

template <bool tells>
class ContactType final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = tells ? "ball-contact" : "silent-contact", .meaning = "two balls that touch", .fields = contact_fields};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Contacts>(instances, tells);
  }
};

/// One newton against the velocity: no motion satisfies it at rest under a smaller load.
class Flips final : public ForceBatch, public EventSource {
 public:
  explicit Flips(std::size_t count) : count_(count) {}
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < count_; ++i) {
      const double v = in.markers[i].velocity.x;
      out.wrenches[i].linear.x = v >= 0 ? -1 : 1;
      out.power -= std::abs(v);
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view name) noexcept override {
    return name == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }
  std::size_t event_count() const noexcept override { return count_; }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k;
    out.name = "reversal";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t i = 0; i < count_; ++i) out.values[i] = in.attachments->markers[i].velocity.x;
  }

 private:
  std::size_t count_;
};

constexpr FieldSpec flip_fields[] = {
    {.name = "body", .type = FieldType::body, .unit = "", .meaning = "what rubs", .required = true}};

class FlipType final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "flip", .meaning = "dry friction as a sign", .fields = flip_fields};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Flips>(instances.size());
  }
};

class Gusts final : public ForceBatch, public EventSource {
 public:
  explicit Gusts(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      gusts_.push_back({i.fields[1].number, i.fields[1].number + i.fields[2].number, i.fields[3].number});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < gusts_.size(); ++i) {
      if (in.time < gusts_[i].start || in.time >= gusts_[i].end) continue;
      out.wrenches[i].linear.x = gusts_[i].force;
      out.power += gusts_[i].force * in.markers[i].velocity.x;
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view name) noexcept override {
    return name == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }
  std::size_t event_count() const noexcept override { return 0; }
  void describe_event(std::size_t, EventDescription&) const noexcept override {}
  void evaluate_events(const EventInput&, EventOutput&) noexcept override {}
  double next_knot(double t) const noexcept override {
    double next = never;
    for (const Gust& g : gusts_)
      for (const double knot : {g.start, g.end})
        if (knot > t && knot < next) next = knot;
    return next;
  }

 private:
  struct Gust {
    double start, end, force;
  };
  std::vector<Gust> gusts_;
};

constexpr FieldSpec gust_fields[] = {
    {.name = "body", .type = FieldType::body, .unit = "", .meaning = "what it hits", .required = true},
    {.name = "start", .type = FieldType::number, .unit = "s", .meaning = "when it begins", .required = true},
    {.name = "length", .type = FieldType::number, .unit = "s", .meaning = "how long it lasts", .required = true},
    {.name = "force", .type = FieldType::number, .unit = "N", .meaning = "along x", .required = true}};

class GustType final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "gust", .meaning = "a force for a while", .fields = gust_fields};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Gusts>(instances);
  }
};

/// Keeps the last row, and the times of all.
class LastRow final : public host::RowSink {
 public:
  explicit LastRow(Ended& ended) : ended_(ended) {}
  void row(double time, const Observation& now) override {
    ended_.times.push_back(time);
    ended_.positions.clear();
    ended_.velocities.clear();
    ended_.angular_velocities.clear();
    ended_.orientations.clear();
    for (const Observation::Body& b : now.bodies) {
      ended_.positions.push_back(b.pose.position);
      ended_.orientations.push_back(b.pose.orientation);
      ended_.angular_velocities.push_back(b.angular_velocity);
      ended_.velocities.push_back(b.velocity);
    }
  }

 private:
  Ended& ended_;
};

}  // namespace

std::unique_ptr<host::System> system_with_switches(const std::string& text) {
  static const ContactType<true> contact;
  static const ContactType<false> silent;
  static const FlipType flip;
  static const GustType gust;
  return system_with_types(text, std::array<const ForceType*, 4>{&contact, &silent, &flip, &gust});
}

std::unique_ptr<host::System> system_with_types(const std::string& text, std::span<const ForceType* const> types) {
  host::Catalog catalog = registry().catalog();
  for (const ForceType* type : types) catalog.forces.emplace(std::string(type->name()), type);
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(text, "model.yaml", catalog, diagnostics, missing);
  auto system =
      diagnostics.failed() ? nullptr : host::System::assemble(std::move(model), registry().keep_alive(), diagnostics);
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += host::format(d) + "\n";
  INFO(messages);
  REQUIRE(system);
  return system;
}

Ended run_to_end(const host::System& system, const Formulation& formulation, const host::RunSettings& settings) {
  const auto solver = solver_for(system, formulation);
  Ended ended;
  LastRow last(ended);
  host::RowSink* sinks[] = {&last};
  ended.record = host::simulate(system, *solver, settings, sinks, {});
  INFO(ended.record.failure);
  REQUIRE(ended.record.end == host::End::done);
  return ended;
}

std::vector<host::RunSettings> settings_of_all_integrators(double duration, double step) {
  std::vector<host::RunSettings> all;
  for (const char* name : {"rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf"}) {
    host::RunSettings s = test::run_settings(name);
    s.duration = duration;
    s.step = step;
    s.output_interval = duration / 4;
    all.push_back(s);
  }
  return all;
}

}  // namespace polyform::test
