#include "apps/fmi/shared_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/fmi/continuous.hpp"
#include "apps/fmi/stepping.hpp"

namespace polyform::fmi {

namespace {

void expect(std::size_t given, std::size_t expected) {
  if (given == expected) return;
  throw host::Failure(host::Exit::bad_input, fmt::format("{} numbers are given, expected {}", given, expected));
}

Answer copy(Component* c, std::span<double> out, std::span<const double> (*values)(Continuous&)) noexcept {
  return answering(c, [&](Component& it) {
    expect_stage(it, Stage::initializing, Stage::terminated);
    copy_numbers(values(it.instance->continuous()), out);
  });
}

/// The motion of an instance of model exchange that is initialized.
Continuous& moving(Component& c) {
  expect_stage(c, Stage::running, Stage::running);
  return c.instance->continuous();
}

}  // namespace

Answer nothing(Component* c) noexcept {
  return answering(c, [](Component&) {});
}
Answer no_variables(Component* c, std::size_t count, const char* kind) noexcept {
  return answering(c, [&](Component&) {
    if (count > 0)
      throw host::Failure(host::Exit::bad_input, fmt::format("there are no variables of the kind {}", kind),
                          "All are reals.");
  });
}
Answer log_warnings_from_now_on(Component* c, bool on) noexcept {
  return answering(c, [&](Component& it) { it.logs_warnings = on; });
}
Answer set_up(Component* c, double start, std::optional<double> stop, std::optional<double> tolerance) noexcept {
  return answering(c, [&](Component& it) {
    expect_stage(it, Stage::made, Stage::made);
    it.instance->set_up(start, stop, tolerance);
  });
}
Answer begin_initialization(Component* c) noexcept {
  return answering(c, [](Component& it) {
    expect_stage(it, Stage::made, Stage::made);
    it.stage = Stage::initializing;
  });
}
Answer finish_initialization(Component* c) noexcept {
  return answering(c, [](Component& it) {
    expect_stage(it, Stage::initializing, Stage::initializing);
    it.instance->finish_initialization();
    it.stage = Stage::running;
  });
}
Answer terminate(Component* c) noexcept {
  return answering(c, [](Component& it) { it.stage = Stage::terminated; });
}
Answer reset(Component* c) noexcept {
  return answering(c, [](Component& it) {
    it.instance->reset();
    it.stage = Stage::made;
  });
}

Answer get_values(Component* c, std::span<const Reference> references, std::span<double> values) noexcept {
  return answering(c, [&](Component& it) {
    expect(values.size(), references.size());
    for (std::size_t i = 0; i < references.size(); ++i) values[i] = it.instance->value(references[i]);
  });
}
Answer set_values(Component* c, std::span<const Reference> references, std::span<const double> values) noexcept {
  return answering(c, [&](Component& it) {
    expect(values.size(), references.size());
    for (std::size_t i = 0; i < references.size(); ++i) it.instance->set_value(references[i], values[i]);
  });
}
Answer differentiate(Component* c, std::span<const Reference> unknowns, std::span<const Reference> knowns,
                     std::span<const double> seed, std::span<double> out) noexcept {
  return answering(c, [&](Component& it) {
    expect(seed.size(), knowns.size());
    expect(out.size(), unknowns.size());
    it.references.assign(unknowns.begin(), unknowns.end());
    it.more_references.assign(knowns.begin(), knowns.end());
    it.instance->differentiate(it.references, it.more_references, seed, out);
  });
}

Answer get_state(Component* c, void** out) noexcept {
  return answering(c, [&](Component& it) { take_state(it, out); });
}
Answer set_state(Component* c, const void* state) noexcept {
  return answering(c, [&](Component& it) {
    const auto& kept = *static_cast<const InstanceState*>(state);
    it.instance->set_state(kept);
    it.stage = kept.stage;
  });
}
Answer free_state(Component* c, void** state) noexcept {
  return answering(c, [&](Component&) { free_state(state); });
}
Answer size_of_state(Component* c, const void* state, std::size_t* size) noexcept {
  return answering(c, [&](Component&) { *size = static_cast<const InstanceState*>(state)->bytes().size(); });
}
Answer serialize_state(Component* c, const void* state, std::span<std::byte> out) noexcept {
  return answering(c, [&](Component&) { serialize(state, out); });
}
Answer deserialize_state(Component* c, std::span<const std::byte> bytes, void** out) noexcept {
  return answering(c, [&](Component&) { *out = deserialized(bytes); });
}

Answer set_time(Component* c, double time) noexcept {
  return answering(c, [&](Component& it) { moving(it).set_time(time); });
}
Answer set_states(Component* c, std::span<const double> x) noexcept {
  return answering(c, [&](Component& it) { moving(it).set_states(x); });
}
Answer get_states(Component* c, std::span<double> out) noexcept {
  return copy(c, out, [](Continuous& m) { return m.states(); });
}
Answer get_rates(Component* c, std::span<double> out) noexcept {
  return copy(c, out, [](Continuous& m) { return m.rates(); });
}
Answer get_indicators(Component* c, std::span<double> out) noexcept {
  return copy(c, out, [](Continuous& m) { return m.indicators(); });
}
Answer get_nominals(Component* c, std::span<double> out) noexcept {
  return answering(c, [&](Component&) { std::ranges::fill(out, 1.0); });
}
Answer complete_step(Component* c, bool& enters_event_mode) noexcept {
  return answering(c, [&](Component& it) { enters_event_mode = moving(it).needs_correction(); });
}
Answer pass_events(Component* c, Passed& out) noexcept {
  return answering(c, [&](Component& it) {
    Continuous& motion = moving(it);
    out.states_changed = motion.pass_events();
    out.ended = motion.has_ended();
    out.next = motion.next_time();
  });
}

Answer step(Component* c, double time, double step, double& last) noexcept {
  return answering(c, [&](Component& it) {
    expect_stage(it, Stage::running, Stage::running);
    it.instance->stepping().step(time, step);
    last = it.last_time = it.instance->stepping().time();
  });
}

}  // namespace polyform::fmi
