// What a plugin library exports: a manifest that is read from the file before anything is loaded, and one function.
//
//   POLYFORM_PLUGIN("elements", "my-joints", "1.0")      // in plugin.cpp, once
//   { registrar.add(my_joint_type); }
#pragma once

#include <array>
#include <cstdint>

#include "polyform/contract/constraint_element.hpp"
#include "polyform/contract/contract_layout.hpp"
#include "polyform/contract/flexible_body.hpp"
#include "polyform/contract/force.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/importer.hpp"
#include "polyform/contract/integrator.hpp"
#include "polyform/contract/joint.hpp"
#include "polyform/contract/module.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

/// The version of the SDK: major grows with a change that old plugins cannot follow, minor with an addition. It is not
/// the version of the package, because most releases leave the contract as it is.
inline constexpr std::uint32_t sdk_major = 1, sdk_minor = 0;

/// The oldest SDK 1.minor whose hosts can run the plugin. A plugin that looks whether later members and interfaces are
/// there (growth.hpp) may define it lower than the SDK that it is built with, before it includes this header.
#ifndef POLYFORM_NEEDS_SDK_MINOR
#define POLYFORM_NEEDS_SDK_MINOR ::polyform::sdk_minor
#endif

/// Receives what a plugin offers. The objects belong to the plugin and live as long as its library is loaded.
class Registrar {
 public:
  virtual void add(const Formulation&) noexcept = 0;
  virtual void add(const JointType&) noexcept = 0;
  virtual void add(const ForceType&) noexcept = 0;
  virtual void add(const FlexibleBodyType&) noexcept = 0;
  virtual void add(const ModuleType&) noexcept = 0;
  virtual void add(const ConstraintType&) noexcept = 0;
  virtual void add(const IntegratorType&) noexcept = 0;
  virtual void add(const ImporterType&) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~Registrar() = default;
};

/// Plain bytes without relocations in a section of its own, so that the host reads it from the file and refuses a
/// library that does not fit before any of its code runs. New members are added at its end.
struct PluginManifest {
  char magic[16];                      ///< "polyform-plugin"
  std::uint32_t size;                  ///< of this struct
  std::uint32_t sdk_major, sdk_minor;  ///< what it was built with
  char kind[16];                       ///< "formulation", "integrator", "importer" or "elements"
  char name[64];
  char version[32];
  char abi[64];                                        ///< what two libraries must have in common: POLYFORM_ABI
  char instruction_set[16];                            ///< lowest x86-64 level needed: POLYFORM_INSTRUCTION_SET
  char compiler[48];                                   ///< for people: POLYFORM_COMPILER
  std::uint32_t needs_minor;                           ///< the oldest SDK major.minor of a host that can run it
  std::array<std::uint32_t, most_structures> layouts;  ///< contract_layouts(needs_minor)
};

#define POLYFORM_STRING_2(x) #x
#define POLYFORM_STRING(x) POLYFORM_STRING_2(x)
/// What decides whether two libraries can call each other: tables of virtual functions and calls as in the Itanium C++
/// ABI on a machine with pointers of this size, and the standard library whose string_view and span they hand over. The
/// compiler's version does not matter; the layout of structures is checked separately (contract_layout.hpp).
#if defined(_LIBCPP_VERSION)
#define POLYFORM_LIBRARY "libc++"
#elif defined(__GLIBCXX__)
#define POLYFORM_LIBRARY "libstdc++"
#else
#define POLYFORM_LIBRARY "unknown"
#endif
#define POLYFORM_ABI "itanium pointer-" POLYFORM_STRING(__SIZEOF_POINTER__) " " POLYFORM_LIBRARY
#if defined(__clang__)
#define POLYFORM_COMPILER                                                                             \
  "clang " POLYFORM_STRING(__clang_major__) "." POLYFORM_STRING(__clang_minor__) "." POLYFORM_STRING( \
      __clang_patchlevel__)
#else
#define POLYFORM_COMPILER \
  "GCC " POLYFORM_STRING(__GNUC__) "." POLYFORM_STRING(__GNUC_MINOR__) "." POLYFORM_STRING(__GNUC_PATCHLEVEL__)
#endif
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define POLYFORM_INSTRUCTION_SET "x86-64-v4"
#elif defined(__AVX2__) && defined(__FMA__)
#define POLYFORM_INSTRUCTION_SET "x86-64-v3"
#elif defined(__x86_64__)
#define POLYFORM_INSTRUCTION_SET "x86-64"
#else
#define POLYFORM_INSTRUCTION_SET "native"
#endif

/// The section that holds the manifest, and the names of the two symbols.
#define POLYFORM_MANIFEST_SECTION ".polyform"
#define POLYFORM_PLUGIN(kind_, name_, version_)                                                                  \
  extern "C" __attribute__((visibility("default"), used, section(POLYFORM_MANIFEST_SECTION)))                    \
  const ::polyform::PluginManifest polyform_manifest = {"polyform-plugin",                                       \
                                                        sizeof(::polyform::PluginManifest),                      \
                                                        ::polyform::sdk_major,                                   \
                                                        ::polyform::sdk_minor,                                   \
                                                        kind_,                                                   \
                                                        name_,                                                   \
                                                        version_,                                                \
                                                        POLYFORM_ABI,                                            \
                                                        POLYFORM_INSTRUCTION_SET,                                \
                                                        POLYFORM_COMPILER,                                       \
                                                        POLYFORM_NEEDS_SDK_MINOR,                                \
                                                        ::polyform::contract_layouts(POLYFORM_NEEDS_SDK_MINOR)}; \
  extern "C" __attribute__((visibility("default"))) void polyform_register(::polyform::Registrar& registrar) noexcept

}  // namespace polyform
