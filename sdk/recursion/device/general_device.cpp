// The general kernel of devices: runs of any model that the lanes carry and whose forces tell their laws, by tables
// (general_tables.hpp). It is compiled for devices in the build where clang is found, and for the processor in tests.
// What of a host the headers include comes first: none of it is called.
#include <cstdlib>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif
#define POLYFORM_UNROLL
#include "../lanes/general_model.hpp"

namespace {

using polyform::DeviceRun;
using polyform::DeviceWorlds;
using polyform::lanes::GeneralModel;

POLYFORM_APART void run_rk4(const DeviceWorlds& in, unsigned long w, double* memory) {
  GeneralModel model(in, w, memory);
  DeviceRun<GeneralModel>(model, in, w).run_rk4();
}
POLYFORM_APART void run_dopri5(const DeviceWorlds& in, unsigned long w, double* memory) {
  GeneralModel model(in, w, memory);
  DeviceRun<GeneralModel>(model, in, w).run_dopri5();
}

}  // namespace
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

// One function per method for rooms in memory of the thread itself, which the device interleaves between threads, by
// its size; and one for rooms of any size, in memory that the launch gives.
#ifdef __CUDA__
#define POLYFORM_FOR_WORLD(name)                                                                     \
  extern "C" __attribute__((global)) void name(DeviceWorlds in) {                                    \
    const unsigned long w =                                                                          \
        static_cast<unsigned long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() + \
        __nvvm_read_ptx_sreg_tid_x();                                                                \
    if (w >= in.worlds) return;
#else
#define POLYFORM_FOR_WORLD(name)                                                 \
  extern "C" __attribute__((visibility("default"))) void name(DeviceWorlds in) { \
    for (unsigned long w = 0; w < in.worlds; ++w) {
#endif
#ifdef __CUDA__
#define POLYFORM_END_WORLD }
#else
#define POLYFORM_END_WORLD \
  }                        \
  }
#endif
#define POLYFORM_GENERAL(method)               \
  POLYFORM_FOR_WORLD(polyform_##method)        \
  run_##method(in, w, in.rooms + w * in.room); \
  POLYFORM_END_WORLD                           \
  POLYFORM_GENERAL_OF(method, 512)             \
  POLYFORM_GENERAL_OF(method, 1024)            \
  POLYFORM_GENERAL_OF(method, 2048)
#define POLYFORM_GENERAL_OF(method, size)        \
  POLYFORM_FOR_WORLD(polyform_##method##_##size) \
  double memory[size];                           \
  run_##method(in, w, memory);                   \
  POLYFORM_END_WORLD

POLYFORM_GENERAL(rk4)
POLYFORM_GENERAL(dopri5)
