// The laws of forces on symbols: from the motions of frames and joints to loads and efforts, as ForceSet goes from
// doubles to doubles.
#include <new>
#include <stdexcept>

#include "../lanes/lane_arrays.hpp"
#include "../lanes/lane_kernels.hpp"
#include "model_trace.hpp"
#include "polyform/contract/event_law.hpp"

namespace polyform::tracing {

namespace {

using namespace lanes;

/// A law goes straight into the trace that is under way.
class TraceRecorder final : public LawRecorder {
 public:
  bool failed() const { return failed_; }
  LawIndex constant(double x) noexcept override {
    return kept([&] { return Symbol(x); });
  }
  LawIndex apply(LawOperation operation, LawIndex left, LawIndex right) noexcept override {
    const Symbol a = Symbol::of(left), b = Symbol::of(right);
    return kept([&] {
      switch (operation) {
        case LawOperation::add: return a + b;
        case LawOperation::subtract: return a - b;
        case LawOperation::multiply: return a * b;
        case LawOperation::divide: return a / b;
        case LawOperation::negate: return -a;
        case LawOperation::absolute: return abs(a);
        case LawOperation::greater: return max(a, b);
        case LawOperation::root: return sqrt(a);
        case LawOperation::where_positive: return where_positive(a, b);
      }
      throw std::invalid_argument("an operation of a later version");
    });
  }

 private:
  template <class Make>
  LawIndex kept(const Make& make) noexcept {
    try {
      return make().node;
    } catch (const std::exception&) {
      failed_ = true;
      return 0;
    }
  }
  bool failed_ = false;
};

/// Inputs and outputs of the law of one part.
struct Slots {
  explicit Slots(const ForceSet::Part& part)
      : markers(LawInput::of_marker * part.attached.markers().size()),
        states(part.state_count),
        wrenches(6 * part.attached.markers().size()),
        efforts(part.attached.velocities()),
        rates(part.state_count) {}
  std::vector<LawIndex> parameters, markers, q, v, states, wrenches, efforts, rates;
};

Vector3<Symbol> vector_at(const Symbol* first) { return {first[0], first[1], first[2]}; }

/// Takes symbols one after the other.
class Filler {
 public:
  explicit Filler(LawIndex* to) : to_(to) {}
  void take(const Symbol& x) { *to_++ = x.node; }
  void take(const Vector3<Symbol>& v) {
    for (std::size_t i = 0; i < 3; ++i) take(v[i]);
  }

 private:
  LawIndex* to_;
};

SpatialVector<Symbol> wrench_at(const LawIndex* first) {
  const auto three = [](const LawIndex* of) -> Vector3<Symbol> {
    return {Symbol::of(of[0]), Symbol::of(of[1]), Symbol::of(of[2])};
  };
  return {three(first), three(first + 3)};
}

/// The forces of one part.
class PartTrace {
 public:
  PartTrace(const LaneWorld& world, const ForceSet::Part& part, Arrays<Symbol>& arrays, Trace& trace)
      : world_(world), part_(part), frames_(arrays.worlds.frames), room_(arrays.room), trace_(trace), slots_(part) {}

  /// event: the first of its event functions, and of the next part's afterwards. numbers: of the part, from its first
  /// marker on. origin: from which places of frames count. Returns how many of the
  /// numbers are the part's; adds to the power.
  std::size_t record(const Symbol* numbers, const Vector3<Symbol>& origin, Symbol& power, std::size_t& event) {
    const Strided<const Marker> markers = part_.attached.markers();
    std::vector<Vector3<Symbol>> arms;
    Filler fill(slots_.markers.data());
    for (std::size_t i = 0; i < markers.size(); ++i, numbers += 3) {
      const FrameMotion<Symbol> frame = frame_of(room_, markers[i].frame);
      const PointMotion<Symbol> point =
          point_motion(frame.R, frame.p, frame.V, vector_at(numbers), origin, is_ground(markers[i].frame));
      for (const Symbol& x : frame.R.m) fill.take(x);
      fill.take(point.position);
      fill.take(point.velocity);
      fill.take(frame.V.angular);
      arms.push_back(point.arm);
    }
    ForceLaw& law = *ForceLaws::law_of(part_);
    const std::size_t count = law.parameter_count();
    for (std::size_t k = 0; k < count; ++k) slots_.parameters.push_back(numbers[k].node);
    take_coordinates();
    TraceRecorder recorder;
    LawOutput out{.wrenches = slots_.wrenches, .efforts = slots_.efforts, .state_rates = slots_.rates};
    const LawInput in{.parameters = slots_.parameters,
                      .markers = slots_.markers,
                      .q = slots_.q,
                      .v = slots_.v,
                      .states = slots_.states};
    law.record(recorder, in, out);
    std::vector<LawIndex> events(ForceLaws::events_of(part_));
    if (!events.empty()) ask<EventLaw>(part_.batch)->record_events(recorder, in, events);
    if (recorder.failed()) throw std::bad_alloc();
    for (const LawIndex value : events) trace_.put(Array::events, event++, Symbol::of(value));
    put_loads(arms);
    power += Symbol::of(out.power);
    return 3 * markers.size() + count;
  }

 private:
  void take_coordinates() {
    const SystemView& view = *world_.view;
    const auto y = [](std::size_t i) { return Symbol::input(Array::y, i).node; };
    for (const Attachments::JointSlice& joint : part_.attached.joints()) {
      for (std::size_t i = 0; i < joint.nq; ++i) slots_.q.push_back(y(joint.q + i));
      for (std::size_t i = 0; i < joint.nv; ++i) slots_.v.push_back(y(view.nq_tree + joint.v + i));
    }
    for (std::size_t i = 0; i < part_.state_count; ++i)
      slots_.states[i] = y(view.nq_tree + view.nv_tree + part_.state_offset + i);
  }

  void put_loads(const std::vector<Vector3<Symbol>>& arms) {
    const SystemView& view = *world_.view;
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const FrameIndex f = part_.attached.markers()[i].frame;
      if (is_ground(f)) continue;
      // About the origin of the frame, then about P.
      const SpatialVector<Symbol> wrench = wrench_about(wrench_at(slots_.wrenches.data() + 6 * i), arms[i]);
      const Vector3<Symbol> to_P = room_.frames[at(f)].R * frames_[at(f)].to_P;
      room_.loads[at(f)] += wrench_about(wrench, -to_P);
    }
    std::size_t k = 0;
    for (const Attachments::JointSlice& joint : part_.attached.joints())
      for (std::size_t i = 0; i < joint.nv; ++i) room_.efforts[joint.v + i] += Symbol::of(slots_.efforts[k++]);
    for (std::size_t i = 0; i < part_.state_count; ++i)
      trace_.put(Array::ydot, view.nq_tree + view.nv_tree + part_.state_offset + i, Symbol::of(slots_.rates[i]));
  }

  const LaneWorld& world_;
  const ForceSet::Part part_;
  const Frame<Symbol>* frames_;
  Room<Symbol>& room_;
  Trace& trace_;
  Slots slots_;
};

}  // namespace

void trace_forces(const LaneWorld& world, Arrays<Symbol>& arrays, Trace& trace) {
  const Symbol* numbers = arrays.worlds.forces;
  const Vector3<Symbol> origin = vector_at(numbers);
  numbers += 3;
  Symbol power;
  std::size_t event = 0;
  const ForceSet& forces = world.loads->forces();
  for (std::size_t i = 0; i < forces.parts(); ++i)
    numbers += PartTrace(world, forces.part(i), arrays, trace).record(numbers, origin, power, event);
  trace.put(Array::power, 0, power);
}

}  // namespace polyform::tracing
