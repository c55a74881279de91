#include "polyform/mechanics/force_laws.hpp"

#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/event_law.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/contract/step_endings.hpp"

namespace polyform {

ForceLaws::ForceLaws(const ForceSet& forces, std::size_t positions, std::size_t velocities) : forces_(forces) {
  find_obstacle(positions, velocities);
  if (obstacle_.empty()) collect();
}

ForceLaw* ForceLaws::law_of(const ForceSet::Part& part) { return ask<ForceLaw>(part.batch); }

std::size_t ForceLaws::events_of(const ForceSet::Part& part) {
  auto* const source = ask<EventSource>(part.batch);
  return source != nullptr && ask<EventLaw>(part.batch) != nullptr ? source->event_count() : 0;
}

void ForceLaws::find_obstacle(std::size_t positions, std::size_t velocities) {
  for (std::size_t i = 0; i < forces_.parts() && obstacle_.empty(); ++i) {
    const ForceSet::Part part = forces_.part(i);
    const std::string force = "its force " + std::string(part.type);
    ForceLaw* const law = law_of(part);
    if (law == nullptr)
      obstacle_ = force + " does not tell its law";
    else if (const std::string_view why = law->obstacle(); !why.empty())
      obstacle_ = force + " " + std::string(why);
    for (const Attachments::JointSlice& joint : part.attached.joints())
      if (joint.q >= positions && joint.v >= velocities) obstacle_ = force + " acts on a joint that closes a loop";
    if (ask<StepEndings>(part.batch) != nullptr) events_ = force + " looks at the end of each step";
    if (auto* const source = ask<EventSource>(part.batch)) {
      if (ask<DiscreteElement>(part.batch) != nullptr || ask<StateJumps>(*source) != nullptr)
        events_ = force + " has events at which its states change";
      else if (ask<RunEnding>(*source) != nullptr)
        events_ = force + " may end the run";
      else if (source->next_knot(0) != never)
        events_ = force + " has events by the clock";
      else if (source->event_count() > 0 && ask<EventLaw>(part.batch) == nullptr)
        events_ = force + " has events and does not tell their functions";
      for (std::size_t k = 0; k < source->event_count() && events_.empty(); ++k) {
        EventDescription event;
        source->describe_event(k, event);
        if (event.crossing > Crossing::rising) events_ = force + " bounds steps by its events";
      }
      event_count_ += events_of(part);
    }
  }
}

void ForceLaws::collect() {
  const auto put = [&](const Vec3& v) { numbers_.insert(numbers_.end(), {v.x, v.y, v.z}); };
  structure_ = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t part) { structure_ = (structure_ ^ part) * 0x100000001b3u; };
  if (forces_.parts() > 0) put(forces_.part(0).attached.origin());
  for (std::size_t i = 0; i < forces_.parts(); ++i) {
    const ForceSet::Part part = forces_.part(i);
    for (const char c : part.type) add(static_cast<unsigned char>(c));
    add(part.state_offset);
    add(part.state_count);
    for (const Marker& marker : part.attached.markers()) {
      add(static_cast<std::uint64_t>(marker.frame));
      put(marker.point);
    }
    for (const Attachments::JointSlice& joint : part.attached.joints()) {
      add(joint.q);
      add(joint.v);
    }
    const std::size_t first = numbers_.size(), count = law_of(part)->parameter_count();
    add(count);
    numbers_.resize(first + count);
    law_of(part)->parameters(std::span(numbers_).subspan(first));
  }
}

}  // namespace polyform
