// The functions of the CUDA driver that a device takes, found in the driver's library at run time. They are declared
// here as the driver's manual gives them (CUDA Driver API reference), without its headers.
#pragma once

#include <cstddef>
#include <string>

namespace polyform::cuda {

using Result = int;
using Ordinal = int;
using Address = unsigned long long;
struct Context;
struct Module;
struct Function;
struct Stream;
struct Event;

/// What the results mean that are told apart; any other is a failure with a text of the driver.
namespace result {
inline constexpr Result success = 0, out_of_memory = 2, deinitialized = 4, no_device = 100, invalid_context = 201,
                        uncorrectable = 214, link_lost = 220, illegal_address = 700, out_of_resources = 701,
                        launch_failed = 719, unknown = 999;
}
/// Of CUdevice_attribute, CUjit_option, CUctx_flags and the `extra` of a launch.
inline constexpr int capability_major = 75, capability_minor = 76;
inline constexpr int error_log = 5, error_log_bytes = 6;
inline constexpr unsigned wait_without_work = 4;
inline void* const parameters_at = reinterpret_cast<void*>(1);
inline void* const parameter_bytes_at = reinterpret_cast<void*>(2);

/// Functions of the driver's library that a plugin needs. Their number is that of the calls which memory, code,
/// launches and times take.
struct Driver {
  Result (*init)(unsigned) = nullptr;
  Result (*error_text)(Result, const char**) = nullptr;
  Result (*count)(int*) = nullptr;
  Result (*ordinal)(Ordinal*, int) = nullptr;
  Result (*name)(char*, int, Ordinal) = nullptr;
  Result (*all_memory)(std::size_t*, Ordinal) = nullptr;
  Result (*attribute)(int*, int, Ordinal) = nullptr;
  Result (*create_context)(Context**, unsigned, Ordinal) = nullptr;
  Result (*destroy_context)(Context*) = nullptr;
  Result (*set_context)(Context*) = nullptr;
  Result (*memory)(std::size_t* free, std::size_t* all) = nullptr;
  Result (*allocate)(Address*, std::size_t) = nullptr;
  Result (*free)(Address) = nullptr;
  Result (*allocate_host)(void**, std::size_t) = nullptr;
  Result (*free_host)(void*) = nullptr;
  Result (*copy_in)(Address, const void*, std::size_t, Stream*) = nullptr;
  Result (*copy_out)(void*, Address, std::size_t, Stream*) = nullptr;
  Result (*load)(Module**, const void* image, unsigned options, int*, void**) = nullptr;
  Result (*function)(Function**, Module*, const char*) = nullptr;
  Result (*launch)(Function*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared, Stream*,
                   void** parameters, void** extra) = nullptr;
  Result (*create_stream)(Stream**, unsigned) = nullptr;
  Result (*synchronize)(Stream*) = nullptr;
  Result (*create_event)(Event**, unsigned) = nullptr;
  Result (*record)(Event*, Stream*) = nullptr;
  Result (*elapsed)(float* milliseconds, Event*, Event*) = nullptr;

  /// What a result other than success says, for people.
  std::string text(Result) const;
};

/// The driver, loaded and initialized once in the process; nullptr where it cannot be, and then why.
const Driver* driver(std::string& why);

}  // namespace polyform::cuda
