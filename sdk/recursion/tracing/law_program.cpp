#include "law_program.hpp"

#include <stdexcept>

#include "../lanes/lane_arrays.hpp"
#include "model_trace.hpp"

namespace polyform::tracing {

namespace {

using namespace lanes;
using Kind = LawStep::Kind;

/// Number by number, symbols that are read from an array of the kernel.
template <class Part>
void take_inputs(Part* first, std::size_t count, Array array) {
  auto* const symbols = reinterpret_cast<Symbol*>(first);
  for (std::size_t i = 0; i < count * (sizeof(Part) / sizeof(Symbol)); ++i) symbols[i] = Symbol::input(array, i);
}

Kind kind_of(Operation operation) {
  switch (operation) {
    case Operation::add: return Kind::add;
    case Operation::subtract: return Kind::subtract;
    case Operation::multiply: return Kind::multiply;
    case Operation::divide: return Kind::divide;
    case Operation::negate: return Kind::negate;
    case Operation::absolute: return Kind::absolute;
    case Operation::greater: return Kind::greater;
    case Operation::root: return Kind::root;
    case Operation::where_positive: return Kind::where_positive;
    case Operation::constant:
    case Operation::input: break;
  }
  return Kind::constant;
}
Kind input_kind(Array array) {
  switch (array) {
    case Array::y: return Kind::state;
    case Array::frame_motions: return Kind::frame_motion;
    case Array::frames: return Kind::frame;
    case Array::forces: return Kind::number;
    default: throw std::logic_error("a law reads what devices do not give it");
  }
}
Kind output_kind(Array array) {
  switch (array) {
    case Array::loads: return Kind::load;
    case Array::efforts: return Kind::effort;
    case Array::ydot: return Kind::rate;
    case Array::power: return Kind::power;
    case Array::events: return Kind::event;
    default: throw std::logic_error("a law writes what devices do not take");
  }
}

/// One step after the other; places of values are free again after the last step that reads them.
class Steps {
 public:
  explicit Steps(const Trace& trace) : trace_(trace), uses_(trace.nodes().size()), place_(uses_.size()) {
    for (const Trace::Output& out : trace.outputs()) use(out.node);
    for (std::size_t node = uses_.size(); node-- > 0;)
      if (uses_[node] > 0) for_each_operand(node, [&](std::uint32_t operand) { use(operand); });
  }
  LawProgram write() {
    std::vector<std::vector<const Trace::Output*>> outputs(uses_.size());
    for (const Trace::Output& out : trace_.outputs()) outputs[out.node].push_back(&out);
    for (std::size_t node = 0; node < uses_.size(); ++node) {
      if (uses_[node] == 0) continue;
      const Node& n = trace_.nodes()[node];
      LawStep step;
      if (n.operation == Operation::input) {
        step.kind = input_kind(n.array);
        step.a = n.a;
      } else if (n.operation == Operation::constant) {
        step.value = n.value;
      } else {
        step.kind = kind_of(n.operation);
        step.a = place_[n.a];
        step.b = place_[n.b];
        for_each_operand(node, [&](std::uint32_t operand) { release(operand); });
      }
      if (free_.empty()) free_.push_back(program_.values++);
      step.to = place_[node] = free_.back();
      free_.pop_back();
      program_.steps.push_back(step);
      for (const Trace::Output* out : outputs[node]) {
        program_.steps.push_back({output_kind(out->array), 0, out->place, place_[node], 0});
        release(static_cast<std::uint32_t>(node));
      }
    }
    return std::move(program_);
  }

 private:
  template <class Call>
  void for_each_operand(std::size_t node, const Call& call) const {
    const Node& n = trace_.nodes()[node];
    if (n.operation == Operation::constant || n.operation == Operation::input) return;
    call(n.a);
    if (n.operation != Operation::negate && n.operation != Operation::absolute && n.operation != Operation::root)
      call(n.b);
  }
  void use(std::uint32_t node) { ++uses_[node]; }
  void release(std::uint32_t node) {
    if (--uses_[node] == 0) free_.push_back(place_[node]);
  }

  const Trace& trace_;
  std::vector<std::uint32_t> uses_, place_, free_;
  LawProgram program_;
};

}  // namespace

LawProgram law_program(const LaneWorld& world) {
  if (world.loads->forces().empty()) return {};
  const Tables tables(world);
  const LoopLists lists(world);
  Trace trace;
  Arrays<Symbol> arrays(tables, lists, world);
  const RoomSizes& sizes = arrays.sizes();
  take_inputs(arrays.worlds.frames, sizes.bodies, Array::frames);
  take_inputs(arrays.worlds.forces, sizes.forces, Array::forces);
  if (sizes.has_frames) take_inputs(arrays.room.frames, sizes.bodies, Array::frame_motions);
  trace_forces(world, arrays, trace);
  for (const FrameIndex f : world.loads->frames())
    for (std::size_t i = 0; i < 6; ++i) trace.put(Array::loads, at(f) * 6 + i, arrays.room.loads[at(f)][i]);
  for (std::size_t i = 0; i < sizes.efforts; ++i) trace.put(Array::efforts, i, arrays.room.efforts[i]);
  return Steps(trace).write();
}

}  // namespace polyform::tracing
