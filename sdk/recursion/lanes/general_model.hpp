// Any model as runs on a device take it (compiled_device.hpp): the kernels of the lanes for one number, on the tables
// of the model.
#pragma once

#include "general_tables.hpp"
#include "lane_closing.hpp"
#include "polyform/solvers/compiled_device.hpp"

namespace polyform::lanes {

/// Does the steps of the laws. events: takes the values of event functions.
inline void run_laws(const GeneralTables& tables, double* values, const Batch<double>& b, double* events) {
  using Kind = LawStep::Kind;
  const auto* const frame_motions = reinterpret_cast<const double*>(b.room.frames);
  const auto* const frames = reinterpret_cast<const double*>(b.worlds.frames);
  auto* const loads = reinterpret_cast<double*>(b.room.loads);
  for (std::size_t i = 0; i < tables.laws.count; ++i) {
    const LawStep& step = tables.laws[i];
    double& to = values[step.to];
    switch (step.kind) {
      case Kind::constant: to = step.value; break;
      case Kind::add: to = values[step.a] + values[step.b]; break;
      case Kind::subtract: to = values[step.a] - values[step.b]; break;
      case Kind::multiply: to = values[step.a] * values[step.b]; break;
      case Kind::divide: to = values[step.a] / values[step.b]; break;
      case Kind::negate: to = -values[step.a]; break;
      case Kind::absolute: to = values[step.a] < 0 ? -values[step.a] : values[step.a]; break;
      case Kind::greater: to = values[step.a] < values[step.b] ? values[step.b] : values[step.a]; break;
      case Kind::root: to = root_of(values[step.a]); break;
      case Kind::where_positive: to = values[step.a] > 0 ? values[step.b] : 0; break;
      case Kind::state: to = b.y[step.a]; break;
      case Kind::frame_motion: to = frame_motions[step.a]; break;
      case Kind::frame: to = frames[step.a]; break;
      case Kind::number: to = b.worlds.forces[step.a]; break;
      case Kind::load: loads[step.a] = values[step.b]; break;
      case Kind::effort: b.room.efforts[step.a] = values[step.b]; break;
      case Kind::rate: b.rates.put(step.a, values[step.b]); break;
      case Kind::power: *b.power = values[step.b]; break;
      case Kind::event: events[step.a] = values[step.b]; break;
    }
  }
}

/// The numbers of one world and its room, in memory that is given.
class GeneralModel {
 public:
  using General = Taker<double>;  ///< its sizes are known at run time

  unsigned states, integrals, events, angles, turns, rows, positions, velocities, quaternions, cut_coordinates;
  unsigned work = 0, closing_work = 0;
  double closing_tolerance, position_rounding, velocity_rounding;

  GeneralModel(const DeviceWorlds& in, unsigned long w, double* memory)
      : tables_(*reinterpret_cast<const GeneralTables*>(in.tables)), from_{memory, 0} {
    tables_.settle(reinterpret_cast<const char*>(in.tables));
    const auto whole = [](std::size_t x) { return static_cast<unsigned>(x); };
    states = tables_.states;
    integrals = tables_.integrals;
    events = tables_.events;
    angles = whole(tables_.tree.angle_count);
    turns = whole(tables_.turns.count);
    rows = tables_.loops.rows;
    positions = tables_.positions;
    velocities = tables_.velocities;
    quaternions = whole(tables_.quaternions.count);
    cut_coordinates = whole(tables_.cut_coordinates.count);
    closing_tolerance = tables_.closing_tolerance;
    position_rounding = tables_.position_rounding;
    velocity_rounding = tables_.velocity_rounding;
    take(from_);
    if (memory == nullptr) return;
    const std::size_t fixed = from_.taken;
    for (std::size_t i = 0; i < fixed; ++i) memory[i] = i < tables_.numbers ? in.numbers[i * in.worlds + w] : 0;
    for (std::size_t r = 0; r < rows; ++r) loops_.keep[r] = tables_.keep[r];
  }
  GeneralModel(const GeneralModel&) = delete;
  GeneralModel& operator=(const GeneralModel&) = delete;

  /// Numbers of a world's memory for these tables, those of DeviceRun with them.
  std::size_t taken() const { return from_.taken; }
  double* give(std::size_t count) { return from_.take<double>(count); }
  const General& given() const { return from_; }
  void take_back(const General& before) { from_ = before; }

  unsigned angle(unsigned i) const { return tables_.tree.angles[i]; }
  unsigned quaternion(unsigned i) const { return tables_.quaternions[i]; }
  unsigned cut_coordinate(unsigned i) const { return tables_.cut_coordinates[i]; }
  unsigned turn(unsigned i) const { return tables_.turns[i]; }

  template <class DeviceRoom>
  void evaluate(const DeviceRoom& r) {
    set_sines(r.sines, r.cosines);
    const Batch<double> batch{tables_.tree, tables_.cuts, worlds_, room_, {r.y, 1}, {r.ydot, 1}, r.power};
    *r.bad |= move(batch);
    run_laws(tables_, law_values_, batch, r.events);
    *r.bad |= accelerate(batch);
  }
  template <class DeviceRoom>
  void measure(const DeviceRoom& r) {
    set_sines(r.sines, r.cosines);
    const Batch<double> batch{tables_.tree, tables_.cuts, worlds_, room_, {r.y, 1}, {rates_, 1}};
    move_tree(batch);
    *r.bad |= measure_loops(batch, r.sines + angles, r.cosines + angles, r.missed, r.missed_rates,
                            [&](std::size_t place, double x) { r.turns[place] = x; });
    const TiedExtent<double> extent = tied_extent(room_, {tables_.tied.first, tables_.tied.count});
    r.extent[0] = extent.size;
    r.extent[1] = extent.speed;
  }
  /// At rest, without gravity and forces.
  template <class DeviceRoom>
  void close(const DeviceRoom& r) {
    set_sines(r.sines, r.cosines);
    Vector3<double> nothing;
    Worlds<double> worlds = worlds_;
    Room<double> room = room_;
    worlds.ground = &nothing;
    room.loads = nullptr;
    room.efforts = nullptr;
    for (unsigned i = 0; i < states; ++i) rest_[i] = i < positions ? r.y[i] : 0;
    const Batch<double> batch{tables_.tree, tables_.cuts, worlds, room, {rest_, 1}, {rates_, 1}};
    move_tree(batch);
    *r.bad |= accelerate(batch, r.asked);
    for (unsigned i = positions; i < positions + velocities; ++i) rest_[i] = r.steps[i] = rates_[i];
    find_position_rates(tables_.tree, batch.y, batch.rates);
    for (unsigned i = 0; i < positions; ++i) r.steps[i] = rates_[i];
  }

 private:
  void take(Taker<double>& from) {
    loops_.tables = tables_.loops;
    lay_out_numbers(tables_.sizes, from, worlds_, loops_);
    lay_out_loops(from, loops_);
    lay_out_room(tables_.sizes, from, room_);
    room_.loops = rows > 0 ? &loops_ : nullptr;
    law_values_ = from.take<double>(tables_.law_values);
    rest_ = from.take<double>(rows > 0 ? states : 0);
    rates_ = from.take<double>(rows > 0 ? states : 0);
  }
  void set_sines(const double* sines, const double* cosines) {
    room_.sines = const_cast<double*>(sines);  // the kernels read them
    room_.cosines = const_cast<double*>(cosines);
  }

  GeneralTables tables_;
  Taker<double> from_;
  Worlds<double> worlds_;
  Room<double> room_;
  Loops<double> loops_;
  double *law_values_ = nullptr, *rest_ = nullptr, *rates_ = nullptr;
};

}  // namespace polyform::lanes
