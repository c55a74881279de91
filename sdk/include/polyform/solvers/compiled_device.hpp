// Runs of a compiled model on a device: one world per thread, from its start to its last row, by rk4 or by dopri5 with
// steps of its own. The source of a model includes this when it is compiled with POLYFORM_DEVICE, by a compiler for a
// device or for the processor.
#pragma once

#include "polyform/mechanics/sine_cosine.hpp"
#include "polyform/solvers/device_events.hpp"
#include "polyform/solvers/device_numbers.hpp"
#include "polyform/solvers/device_steps.hpp"
#include "polyform/solvers/device_worlds.hpp"

/// Before loops over a few numbers of a state: only without them a thread's numbers are in its registers.
#ifndef POLYFORM_UNROLL
#ifdef __clang__
#define POLYFORM_UNROLL _Pragma("unroll")
#else
#define POLYFORM_UNROLL
#endif
#endif

namespace polyform {

/// The numbers of a world from one of its arrays on.
struct DeviceNumbers {
  const double* first = nullptr;
  unsigned long stride = 0;
  POLYFORM_KERNEL const double& operator[](unsigned long i) const { return first[i * stride]; }
};

/// What the kernels of runs and of loops read and write besides.
struct ClosingRoom : CompiledRoom<double, DeviceNumbers> {
  double *missed = nullptr, *missed_rates = nullptr;  ///< by positions and velocities, per row
  double* extent = nullptr;       ///< squares: of the largest distance of what loops tie, and of its velocity
  double* turns = nullptr;        ///< coordinates of the cut joints, where they stand in a state
  const double* asked = nullptr;  ///< of the step, per row
  double* steps = nullptr;        ///< of positions, then of velocities
};

/// Runs world w. Model tells sizes and the kernels: the source of a compiled model, or tables. Of a compiled model all
/// becomes one function, in which the kernels stand once, so that a thread's numbers can stay in its registers.
template <class Model>
class DeviceRun {
 public:
  POLYFORM_KERNEL DeviceRun(Model& model, const DeviceWorlds& in, unsigned long w)
      : model_(model),
        in_(in),
        w_(w),
        y_(model),
        at_(model),
        end_(model),
        sum_(model),
        rates_(model),
        sines_(model),
        cosines_(model),
        work_(model),
        watch_(model) {
    if constexpr (!device::is_general<Model>)
      static_assert(Model::stands_alone, "a device cannot run the model: DeviceWorld::obstacle() tells why");
    POLYFORM_UNROLL for (unsigned i = 0; i < model_.states; ++i) y_[i] = in_.starts[i * in_.worlds + w_];
    POLYFORM_UNROLL for (unsigned i = model_.states; i < row_size(); ++i) {
      y_[i] = 0;
      largest_integral_ = in_.starts[i * in_.worlds + w_];
    }
  }

  /// Steps end at products of the step, not at running sums, and at the last row. A row within a step is a side step.
  POLYFORM_KERNEL void run_rk4() {
    unsigned long row = 0, steps = 0;
    double time = 0;
    while (row < in_.rows && !bad_) {
      const double t = in_.times[row];
      if (t <= time + rounding_of_time * time) {
        put(row++, y_);
        continue;
      }
      const double grid = static_cast<double>(steps + 1) * in_.step, last = in_.times[in_.rows - 1];
      const double end = grid < last - grid_share * in_.step ? grid : last;
      const bool within = t < end - rounding_of_time * end;
      bad_ |= !(end > time);
      step(time, (within ? t : end) - time, !within);
      if (within) {
        put(row++, at_);
        continue;
      }
      POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) y_[i] = at_[i];
      time = end;
      if (end >= grid - grid_share * in_.step) ++steps;
    }
    watch_.end(model_);
    bad_ |= watch_.is_near();
    in_.marks[w_] = bad_ ? 1 : 0;
  }

  /// The steps that dopri5 takes with this world alone; rows within a step are its dense output.
  POLYFORM_KERNEL void run_dopri5() {
    device::StepControl control;
    Numbers<Part::stages> k(model_);  // apart: what is found by the number of a stage is in no register
    unsigned long row = 0;
    double time = 0, h = in_.step < in_.longest ? in_.step : in_.longest;
    bool rate_known = false, tried = false;
    const double last = in_.times[in_.rows - 1];
    while (row < in_.rows && !bad_) {
      // No sliver of a step is left before the end, unless this step would be longer than allowed.
      const bool ends = time + (1.01 * h <= in_.longest ? 1.01 : 1.0) * h >= last;
      const double length = ends ? last - time : h;
      const double least = 16 * 0x1p-52 * (time > in_.step ? time : in_.step);
      bad_ |= tried && !(length > least);
      try_step(time, length, rate_known, k);
      rate_known = true;
      const double error = error_of_step(length, k);
      tried = !(error <= 1);
      if (tried) {
        watch_.go_back(model_);
        h = error - error == 0 ? control.after_rejected(length, error) : control.after_failed(length);
        continue;
      }
      bad_ |= watch_.is_near();
      watch_.keep(model_);
      const double begin = time;
      time = ends ? last : time + h;
      for (; row < in_.rows && in_.times[row] <= time + rounding_of_time * time; ++row)
        show(row, in_.times[row] < time - rounding_of_time * time, (in_.times[row] - begin) / length, length, k);
      const double proposed = control.after_accepted(length, error);
      h = ends && h > proposed ? h : proposed;
      h = h < in_.longest ? h : in_.longest;
      rate_known = go_to_end(k);
    }
    in_.marks[w_] = bad_ ? 1 : 0;
  }

 private:
  using Room = ClosingRoom;
  using Part = device::Part;
  template <Part part>
  using Numbers = typename device::NumbersOf<Model, part>::Type;
  /// The state, then what is integrated of it: the work of what acts.
  POLYFORM_KERNEL unsigned row_size() const { return model_.states + model_.integrals; }
  static constexpr double rounding_of_time = 1e-12, grid_share = 1e-9;

  POLYFORM_KERNEL DeviceNumbers numbers(unsigned long first) const {
    return {in_.numbers + first * in_.worlds + w_, in_.worlds};
  }

  POLYFORM_KERNEL void find_sine(unsigned i, double angle) {
    const SineCosine of = sine_and_cosine(angle);
    sines_[i] = of.sine;
    cosines_[i] = of.cosine;
    bad_ |= !(Room::absolute(angle) <= sine_cosine::largest_angle);
  }
  POLYFORM_KERNEL void find_rates() {
    POLYFORM_UNROLL for (unsigned i = 0; i < model_.angles; ++i) find_sine(i, at_[model_.angle(i)]);
    // Made anew, and no member: it points into this object, which is in registers only if nothing in it does.
    Room room;
    take_numbers(room);
    room.y = at_;
    room.ydot = rates_;
    room.power = rates_ + model_.states;
    room.events = watch_.values;
    room.work = work_;
    model_.evaluate(room);
  }
  POLYFORM_KERNEL void take_numbers(Room& room) {
    room.sines = sines_;
    room.cosines = cosines_;
    if constexpr (!device::is_general<Model>) {
      room.constants = numbers(Model::constants);
      room.frames = numbers(Model::frames);
      room.axes = numbers(Model::axes);
      room.ground = numbers(Model::ground);
      room.cuts = numbers(Model::cuts);
      room.cut_places = numbers(Model::cut_places);
      room.forces = numbers(Model::forces);
    }
    room.bad = &bad_;
  }

  /// At the rates of a stage. In steps of both methods two looks are at most half of the step apart.
  POLYFORM_KERNEL void look_at_turn(double h) {
    if (model_.events == 0) return;
    double speed = 0;
    POLYFORM_UNROLL for (unsigned i = 0; i < model_.angles; ++i) speed += Room::absolute(rates_[model_.angle(i)]);
    POLYFORM_UNROLL for (unsigned k = 0; k < model_.quaternions; ++k) {
      const double* const rate = rates_ + model_.quaternion(k);  // half of the angular velocity
      speed += 2 * __builtin_sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2] + rate[3] * rate[3]);
    }
    watch_.look_at_turn(0.5 * h * speed);
  }

  /// From y_ to at_ by rk4. is_watched: whether the run goes on from its end.
  POLYFORM_KERNEL void step(double time, double h, bool is_watched) {
    for (unsigned stage = 0; stage < 4; ++stage) {
      const double on = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h, weight = stage == 1 || stage == 2 ? 2 : 1;
      POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) at_[i] = stage == 0 ? y_[i] : y_[i] + on * rates_[i];
      find_rates();
      if (stage == 0 && !watch_.has_begun())
        watch_.look(model_, time);
      else if (!is_watched)
        watch_.look_aside(model_);
      else if (stage == 1)
        watch_.look_ahead(model_, on, h);
      else
        watch_.look(model_, time + on);
      if (is_watched) look_at_turn(h);
      POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) sum_[i] =
          stage == 0 ? rates_[i] : sum_[i] + weight * rates_[i];
    }
    bad_ |= watch_.is_near();
    POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) at_[i] = y_[i] + h / 6 * sum_[i];
    correct(at_);
  }

  /// From y_ to end_ by dopri5; k has all rates.
  POLYFORM_KERNEL void try_step(double time, double h, bool rate_known, double* k) {
    for (unsigned stage = rate_known ? 1 : 0; stage < 7; ++stage) {
      POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) {
        double sum = 0;
        for (unsigned j = 0; j < stage; ++j) sum += device::weight(stage, j) * k[j * row_size() + i];
        at_[i] = y_[i] + h * sum;
      }
      find_rates();
      if (stage == 1)
        watch_.look_ahead(model_, device::share_of_stage(stage) * h, h);
      else
        watch_.look(model_, time + device::share_of_stage(stage) * h);
      if (stage == 0) watch_.keep(model_);
      look_at_turn(h);
      POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) k[stage * row_size() + i] = rates_[i];
    }
    POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) end_[i] = at_[i];
  }
  POLYFORM_KERNEL double sum_of_rates(unsigned sum, unsigned i, const double* k) const {
    double all = 0;
    for (unsigned j = 0; j < 7; ++j) all += device::weight_of_sum(sum, j) * k[j * row_size() + i];
    return all;
  }
  /// In units of the tolerances; no number where anything is none.
  POLYFORM_KERNEL double error_of_step(double h, const double* k) const {
    double largest = 0;
    POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) {
      const bool is_state = i < model_.states;
      const double rate = Room::greater(Room::absolute(k[i]), Room::absolute(k[6 * row_size() + i]));
      const double size = is_state ? Room::greater(Room::absolute(y_[i]), Room::absolute(end_[i]))
                                   : Room::greater(largest_integral_, h * rate);
      const double tolerance = (is_state ? 1 : device::integral_tolerance) * (in_.absolute + in_.relative * size);
      const double error = Room::absolute(h * sum_of_rates(0, i, k)) / tolerance + 0 * end_[i];
      largest = error <= largest || largest != largest ? largest : error;  // one that is no number stays
    }
    return largest;
  }
  /// A row in the last step, or at its end.
  POLYFORM_KERNEL void show(unsigned long row, bool within, double share, double h, const double* k) {
    const double back = share - 1, a = share * share * (3 - 2 * share), b = h * share * share * back,
                 c = share * share * back * back * h, d = h * share * back * back;
    POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) at_[i] =
        within ? y_[i] + a * (end_[i] - y_[i]) + d * k[i] + b * k[6 * row_size() + i] +
                     c * (sum_of_rates(1, i, k) + share * sum_of_rates(2, i, k))
               : end_[i];
    correct(at_);
    put(row, at_);
  }
  /// Whether the rate there is known: that at the end of the step, unless the correction has moved the state.
  POLYFORM_KERNEL bool go_to_end(double* k) {
    POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) y_[i] = end_[i];
    correct(y_);
    bool moved = false;
    POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) {
      moved |= y_[i] != end_[i];
      k[i] = k[6 * row_size() + i];
      if (i >= model_.states) largest_integral_ = Room::greater(largest_integral_, Room::absolute(y_[i]));
    }
    return !moved;
  }

  POLYFORM_KERNEL void put(unsigned long row, const double* y) {
    POLYFORM_UNROLL for (unsigned i = 0; i < row_size(); ++i) {
      bad_ |= !(y[i] - y[i] == 0);
      in_.states[(row * row_size() + i) * in_.worlds + w_] = y[i];
    }
  }

  /// What drifts: the lengths of quaternions, and loops.
  POLYFORM_KERNEL void correct(double* y) {
    normalize(y);
    if constexpr (device::may_close<Model>())
      if (model_.rows > 0) close(y);
  }

  /// Back onto the loops: LoopProjection::close(), with the rows that are left out at the start.
  POLYFORM_APART void close(double* y) {
    const device::Given<Model> given(model_);
    Numbers<Part::loop_rows> missed(model_), missed_rates(model_), asked(model_);
    Numbers<Part::states> turns(model_);
    Numbers<Part::steps> steps(model_);
    Numbers<Part::closing_work> work(model_);
    double extent[2];
    Room room;
    take_numbers(room);
    room.y = y;
    room.work = work;
    room.missed = missed;
    room.missed_rates = missed_rates;
    room.extent = extent;
    room.turns = turns;
    room.asked = asked;
    room.steps = steps;
    device::Closing closing;
    while (!bad_) {
      for (unsigned i = 0; i < model_.angles; ++i) find_sine(i, y[model_.angle(i)]);
      for (unsigned i = 0; i < model_.turns; ++i) find_sine(model_.angles + i, y[model_.turn(i)]);
      model_.measure(room);
      const double size = Room::greater(1, __builtin_sqrt(extent[0]));
      const double speed = Room::greater(1, __builtin_sqrt(extent[1]));
      const auto aim =
          closing.next(largest(missed, model_.rows), largest(missed_rates, model_.rows), speed,
                       model_.closing_tolerance, model_.position_rounding * size, model_.velocity_rounding * speed);
      if (aim == device::Closing::Aim::none) break;
      const bool positions = aim == device::Closing::Aim::positions;
      for (unsigned r = 0; r < model_.rows; ++r) asked[r] = positions ? -missed[r] : -missed_rates[r];
      model_.close(room);
      const unsigned first = positions ? 0 : model_.positions;
      const unsigned count = positions ? model_.positions : model_.velocities;
      for (unsigned i = first; i < first + count; ++i) y[i] += steps[i];
      if (positions)
        normalize(y);
      else
        closing.changed(largest(steps + first, count));
    }
    bad_ |= closing.failed();
    for (unsigned i = 0; i < model_.cut_coordinates; ++i) y[model_.cut_coordinate(i)] = turns[model_.cut_coordinate(i)];
  }
  /// The largest absolute value, or what is no number.
  POLYFORM_KERNEL static double largest(const double* x, unsigned count) {
    double most = 0;
    for (unsigned i = 0; i < count; ++i) most = Room::absolute(x[i]) <= most ? most : Room::absolute(x[i]);
    return most;
  }

  POLYFORM_KERNEL void normalize(double* y) {
    POLYFORM_UNROLL for (unsigned k = 0; k < model_.quaternions; ++k) {
      double* const q = y + model_.quaternion(k);
      const double scale = 1 / __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      POLYFORM_UNROLL for (unsigned i = 0; i < 4; ++i) q[i] *= scale;
    }
  }

  Model& model_;
  const DeviceWorlds& in_;
  unsigned long w_;
  Numbers<Part::row> y_, at_, end_, sum_;
  Numbers<Part::rates> rates_;
  Numbers<Part::sines> sines_, cosines_;
  Numbers<Part::work> work_;
  device::EventWatch<Model> watch_;
  double largest_integral_ = 0;
  bool bad_ = false;
};

}  // namespace polyform

/// What launches call: polyform_rk4 and polyform_dopri5. For the processor these are functions that run all worlds one
/// after the other.
#ifdef __CUDA__
#define POLYFORM_DEVICE_FUNCTION(Model, method)                                                      \
  extern "C" __attribute__((global)) void polyform_##method(polyform::DeviceWorlds in) {             \
    const unsigned long w =                                                                          \
        static_cast<unsigned long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() + \
        __nvvm_read_ptx_sreg_tid_x();                                                                \
    Model model;                                                                                     \
    if (w < in.worlds) polyform::DeviceRun<Model>(model, in, w).run_##method();                      \
  }
#else
#define POLYFORM_DEVICE_FUNCTION(Model, method)                                                            \
  extern "C" __attribute__((visibility("default"))) void polyform_##method(polyform::DeviceWorlds in) {    \
    Model model;                                                                                           \
    for (unsigned long w = 0; w < in.worlds; ++w) polyform::DeviceRun<Model>(model, in, w).run_##method(); \
  }
#endif
#define POLYFORM_DEVICE_ENTRY(Model)   \
  POLYFORM_DEVICE_FUNCTION(Model, rk4) \
  POLYFORM_DEVICE_FUNCTION(Model, dopri5)
