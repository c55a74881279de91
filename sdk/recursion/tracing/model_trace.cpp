#include "model_trace.hpp"

#include <array>
#include <cmath>

#include "../lanes/lane_kernels.hpp"

namespace polyform::lanes {

/// The numbers of a state are inputs, and rates are outputs, of the trace.
template <>
struct State<tracing::Symbol> {
  tracing::Symbol operator[](std::size_t i) const { return tracing::Symbol::input(tracing::Array::y, i); }
};
template <>
struct Rates<tracing::Symbol> {
  tracing::Trace* trace;
  void put(std::size_t i, const tracing::Symbol& x) const { trace->put(tracing::Array::ydot, i, x); }
};

}  // namespace polyform::lanes

namespace polyform::tracing {

namespace {

using namespace lanes;

/// Of Arrays::numbers().
constexpr std::array number_arrays = {Array::constants, Array::frames, Array::axes,
                                      Array::ground,    Array::cuts,   Array::cut_axes};

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

}  // namespace

void trace(const LaneWorld& world, std::span<const double> numbers, Trace& trace) {
  const Tables tables(world);
  const Closing closing(world);
  Arrays<Symbol> arrays(tables, world);
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
  room.loops = arrays.loops();
  const std::vector<unsigned> left_out = rows_left_out_of(world);
  for (std::size_t i = 0; i < left_out.size(); ++i) room.loops->leave_out(0, i, left_out[i]);

  const Batch<Symbol> batch{tables, closing, arrays, {}, {&trace}};
  move(batch);
  for (const FrameIndex f : world.loads->frames()) put_frame(trace, room, f);
  for (std::size_t c = 0; c < closing.cuts.size(); ++c)
    for (const FrameIndex f : {closing.cuts[c].base_frame, closing.cuts[c].moving_frame})
      if (!closing.is_plain(c)) put_frame(trace, room, f);

  trace.begin_second();
  for (const FrameIndex f : world.loads->frames()) {
    const std::span<Symbol> load = symbols_of(room.loads + at(f), 1);
    for (std::size_t i = 0; i < load.size(); ++i) load[i] = Symbol::input(Array::loads, at(f) * load.size() + i);
  }
  if (room.efforts != nullptr) take_symbols(symbols_of(room.efforts, world.view->nv_tree), Array::efforts);
  accelerate(batch);
}

}  // namespace polyform::tracing
