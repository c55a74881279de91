// Runs of a compiled model on a device: one world per thread, from its state to the end of its steps, by rk4. The source
// of a model includes this when it is compiled with POLYFORM_DEVICE, by a compiler for a device or for the processor.
#pragma once

#include "polyform/mechanics/sine_cosine.hpp"
#include "polyform/solvers/compiled_room.hpp"

namespace polyform {

/// Worlds of one launch. Number i of world w stands at i · worlds + w, so that threads side by side read side by side.
struct DeviceWorlds {
  unsigned long worlds, steps;
  double step;             ///< s
  const double* numbers;   ///< all numbers of each world (CompiledModel::numbers)
  double* states;          ///< at the start, and then at the end
  unsigned char* marks;    ///< per world: 1 where a pivot was small, or an angle large; its state means nothing then
};

/// The numbers of a world from one of its arrays on.
struct DeviceNumbers {
  const double* first = nullptr;
  unsigned long stride = 0;
  POLYFORM_KERNEL const double& operator[](unsigned long i) const { return first[i * stride]; }
};

/// Runs world w. Model tells sizes and the kernels (the source of a compiled model). All becomes one function, so that a
/// thread's numbers can stay in its registers.
template <class Model>
class DeviceRun {
 public:
  POLYFORM_KERNEL DeviceRun(const DeviceWorlds& in, unsigned long w) : in_(in), w_(w) {
    static_assert(Model::stands_alone, "the model has loops, forces or joints of code, which runs on a device lack");
    room_.y = at_;
    room_.ydot = rates_;
    room_.sines = sines_;
    room_.cosines = cosines_;
    room_.constants = numbers(Model::constants);
    room_.frames = numbers(Model::frames);
    room_.axes = numbers(Model::axes);
    room_.ground = numbers(Model::ground);
    room_.work = work_;
    room_.bad = &bad_;
  }

  POLYFORM_KERNEL void run() {
    for (unsigned i = 0; i < Model::states; ++i) y_[i] = in_.states[i * in_.worlds + w_];
    for (unsigned long n = 0; n < in_.steps; ++n) {
      step();
      normalize();
    }
    for (unsigned i = 0; i < Model::states; ++i) in_.states[i * in_.worlds + w_] = y_[i];
    in_.marks[w_] = bad_ ? 1 : 0;
  }

 private:
  using Room = CompiledRoom<double, DeviceNumbers>;

  POLYFORM_KERNEL DeviceNumbers numbers(unsigned long first) const { return {in_.numbers + first * in_.worlds + w_, in_.worlds}; }

  POLYFORM_KERNEL void find_rates() {
    for (unsigned i = 0; i < Model::angles; ++i) {
      const double angle = at_[Model::angle(i)];
      const SineCosine of = sine_and_cosine(angle);
      sines_[i] = of.sine;
      cosines_[i] = of.cosine;
      bad_ |= !(Room::absolute(angle) <= sine_cosine::largest_angle);
    }
    Model::evaluate(room_);
  }

  POLYFORM_KERNEL void step() {
    const double h = in_.step;
    for (unsigned stage = 0; stage < 4; ++stage) {
      const double on = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h, weight = stage == 1 || stage == 2 ? 2 : 1;
      for (unsigned i = 0; i < Model::states; ++i) at_[i] = stage == 0 ? y_[i] : y_[i] + on * rates_[i];
      find_rates();
      for (unsigned i = 0; i < Model::states; ++i)
        sum_[i] = stage == 0 ? rates_[i] : sum_[i] + weight * rates_[i];
    }
    for (unsigned i = 0; i < Model::states; ++i) y_[i] += h / 6 * sum_[i];
  }

  /// What drifts of a tree: the lengths of quaternions.
  POLYFORM_KERNEL void normalize() {
    for (unsigned k = 0; k < Model::quaternions; ++k) {
      double* const q = y_ + Model::quaternion(k);
      const double scale = 1 / __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (unsigned i = 0; i < 4; ++i) q[i] *= scale;
    }
  }

  const DeviceWorlds& in_;
  unsigned long w_;
  double y_[Model::states], at_[Model::states], rates_[Model::states], sum_[Model::states];
  double sines_[Model::angles + 1], cosines_[Model::angles + 1], work_[Model::work];
  bool bad_ = false;
  Room room_;
};

}  // namespace polyform

/// What a launch calls: polyform_run. For the processor it is a function that runs all worlds one after the other.
#ifdef __CUDA__
#define POLYFORM_DEVICE_ENTRY(Model)                                                                \
  extern "C" __attribute__((global)) void polyform_run(polyform::DeviceWorlds in) {                 \
    const unsigned long w = static_cast<unsigned long>(__nvvm_read_ptx_sreg_ctaid_x()) *            \
                                __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();       \
    if (w < in.worlds) polyform::DeviceRun<Model>(in, w).run();                                     \
  }
#else
#define POLYFORM_DEVICE_ENTRY(Model)                                                                \
  extern "C" __attribute__((visibility("default"))) void polyform_run(polyform::DeviceWorlds in) {  \
    for (unsigned long w = 0; w < in.worlds; ++w) polyform::DeviceRun<Model>(in, w).run();          \
  }
#endif
