#include "model_trace.hpp"

#include <array>
#include <cmath>

#include "../lanes/lane_arrays.hpp"
#include "../lanes/lane_closing.hpp"

namespace polyform::lanes {

/// The numbers of a state are inputs of the trace; or the positions alone, with these velocities, or none.
template <>
struct State<tracing::Symbol> {
  std::size_t positions = static_cast<std::size_t>(-1);
  const tracing::Symbol* velocities = nullptr;
  tracing::Symbol operator[](std::size_t i) const {
    if (i < positions) return tracing::Symbol::input(tracing::Array::y, i);
    return velocities != nullptr ? velocities[i - positions] : tracing::Symbol();
  }
};
/// Rates are outputs of the trace, or are kept, or nobody wants them.
template <>
struct Rates<tracing::Symbol> {
  tracing::Trace* trace = nullptr;
  tracing::Symbol* kept = nullptr;
  void put(std::size_t i, const tracing::Symbol& x) const {
    if (trace != nullptr) trace->put(tracing::Array::ydot, i, x);
    if (kept != nullptr) kept[i] = x;
  }
};

}  // namespace polyform::lanes

namespace polyform::tracing {

namespace {

using namespace lanes;

/// Of Arrays::numbers().
constexpr std::array number_arrays = {Array::constants, Array::frames,     Array::axes,  Array::ground,
                                      Array::cuts,      Array::cut_places, Array::forces};

template <class T>
void take_symbols(std::span<T> to, Array array) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = Symbol::input(array, i);
}

/// Symbols of a structure of numbers.
template <class Part>
std::span<Symbol> symbols_of(Part* first, std::size_t count) {
  return {reinterpret_cast<Symbol*>(first), count * sizeof(Part) / sizeof(Symbol)};
}

void take_numbers(Arrays<Symbol>& arrays, std::span<const double> numbers) {
  std::size_t next = 0;
  const auto parts = arrays.numbers();
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t i = 0; i < parts[p].size(); ++i, ++next)
      parts[p][i] = std::isnan(numbers[next]) ? Symbol::input(number_arrays[p], i) : Symbol(numbers[next]);
}

void put_frame(Trace& trace, Room<Symbol>& room, FrameIndex f) {
  if (is_ground(f)) return;
  const std::span<Symbol> motion = symbols_of(room.frames + at(f), 1);
  for (std::size_t i = 0; i < motion.size(); ++i) trace.put(Array::frame_motions, at(f) * motion.size() + i, motion[i]);
}

/// The tables of a world, and its numbers as symbols or constants.
struct SymbolWorld {
  SymbolWorld(const LaneWorld& world, std::span<const double> numbers)
      : tables(world), lists(world), closing(world), arrays(tables, lists, world) {
    Room<Symbol>& room = arrays.room;
    take_numbers(arrays, numbers);
    for (std::size_t i = 0; i < tables.angles.size(); ++i) {
      room.sines[i] = Symbol::input(Array::sines, i);
      room.cosines[i] = Symbol::input(Array::cosines, i);
    }
    for (std::size_t j = 0; j < tables.general.size(); ++j) {
      if (!tables.general[j].is_code) continue;
      const std::span<Symbol> motion = symbols_of(room.motions + j, 1);
      for (std::size_t i = 0; i < motion.size(); ++i) motion[i] = Symbol::input(Array::motions, j * motion.size() + i);
    }
    const std::vector<unsigned> left_out = rows_left_out_of(world);
    for (std::size_t i = 0; i < left_out.size(); ++i) arrays.loops().leave_out(0, i, left_out[i]);
  }
  Batch<Symbol> batch(const State<Symbol>& state, const Rates<Symbol>& rates) {
    return {tables.tree, closing.plain, arrays.worlds, arrays.room, state, rates};
  }

  const Tables tables;
  const LoopLists lists;
  const Closing closing;
  Arrays<Symbol> arrays;
};

/// What a state misses of the loops, and where the cut joints stand.
void trace_missed(const LaneWorld& world, SymbolWorld& symbols, Trace& trace) {
  const Batch<Symbol> batch = symbols.batch({}, {});
  move_tree(batch);
  const std::size_t rows = symbols.arrays.loops().rows(), cuts = symbols.closing.joints.size();
  std::vector<Symbol> sines(cuts), cosines(cuts), missed(rows), missed_rates(rows);
  for (std::size_t turn = 0; turn < cuts; ++turn) {  // after the angles of the tree
    sines[turn] = Symbol::input(Array::sines, symbols.tables.angles.size() + turn);
    cosines[turn] = Symbol::input(Array::cosines, symbols.tables.angles.size() + turn);
  }
  measure_loops(batch, sines.data(), cosines.data(), missed.data(), missed_rates.data(),
                [&](std::size_t place, const Symbol& x) { trace.put(Array::turns, place, x); });
  for (std::size_t r = 0; r < rows; ++r) {
    trace.put(Array::missed, r, missed[r]);
    trace.put(Array::missed_rates, r, missed_rates[r]);
  }
  const TiedExtent<Symbol> extent = tied_extent(symbols.arrays.room, world.loops->layout().tied_frames());
  trace.put(Array::extent, 0, extent.size);
  trace.put(Array::extent, 1, extent.speed);
}

}  // namespace

void trace_closing(const LaneWorld& world, std::span<const double> numbers, Trace& trace) {
  SymbolWorld moving(world, numbers);
  trace_missed(world, moving, trace);

  trace.begin_second();
  SymbolWorld still(world, numbers);
  *still.arrays.worlds.ground = {};
  const std::size_t positions = world.view->nq_tree, velocities = world.view->nv_tree;
  const State<Symbol> at_rest{positions, nullptr};
  move_tree(still.batch(at_rest, {}));
  std::vector<Symbol> asked(still.arrays.loops().rows()), steps(positions + velocities);
  take_symbols(std::span(asked), Array::asked);
  accelerate(still.batch(at_rest, {nullptr, steps.data()}), asked.data());
  // The step per velocity coordinate, and that of the positions which it makes.
  const Symbol* const per_velocity = steps.data() + positions;
  find_position_rates(still.tables.tree, State<Symbol>{positions, per_velocity}, Rates<Symbol>{nullptr, steps.data()});
  for (std::size_t i = 0; i < steps.size(); ++i) trace.put(Array::steps, i, steps[i]);
}

void trace(const LaneWorld& world, std::span<const double> numbers, Trace& trace) {
  SymbolWorld symbols(world, numbers);
  const Closing& closing = symbols.closing;
  Arrays<Symbol>& arrays = symbols.arrays;
  Room<Symbol>& room = arrays.room;
  const Batch<Symbol> batch = symbols.batch({}, {&trace});
  move(batch);
  const bool has_laws = world.loads->laws().told();
  if (!has_laws)
    for (const FrameIndex f : world.loads->frames()) put_frame(trace, room, f);
  for (std::size_t c = 0; c < closing.joints.size(); ++c)
    for (const FrameIndex f : {closing.joints[c].base_frame, closing.joints[c].moving_frame})
      if (!closing.joints[c].is_plain) put_frame(trace, room, f);

  trace.begin_second();
  if (has_laws) {
    if (!world.loads->forces().empty()) trace_forces(world, arrays, trace);
  } else {
    for (const FrameIndex f : world.loads->frames()) {
      const std::span<Symbol> load = symbols_of(room.loads + at(f), 1);
      for (std::size_t i = 0; i < load.size(); ++i) load[i] = Symbol::input(Array::loads, at(f) * load.size() + i);
    }
    if (room.efforts != nullptr) take_symbols(symbols_of(room.efforts, world.view->nv_tree), Array::efforts);
  }
  accelerate(batch);
}

}  // namespace polyform::tracing
