// What a plugin library exports: a manifest that is read from the file before anything is loaded, and one function.
//
//   POLYFORM_PLUGIN("elements", "my-joints", "1.0")      // in plugin.cpp, once
//   { registrar.add(my_joint_type); }
#pragma once

#include <cstdint>

#include "polyform/constraint_element.hpp"
#include "polyform/flexible_body.hpp"
#include "polyform/force.hpp"
#include "polyform/formulation.hpp"
#include "polyform/integrator.hpp"
#include "polyform/joint.hpp"
#include "polyform/module.hpp"
#include "polyform/system_view.hpp"

namespace polyform {

/// Raised when the contract changes: major for a change that old plugins cannot follow, minor for an addition.
inline constexpr std::uint32_t sdk_major = 1, sdk_minor = 0;

/// Receives what a plugin offers. Objects are the plugin's and live as long as its library is loaded.
class Registrar {
 public:
  virtual void add(const Formulation&) noexcept = 0;
  virtual void add(const JointType&) noexcept = 0;
  virtual void add(const ForceType&) noexcept = 0;
  virtual void add(const FlexibleBodyType&) noexcept = 0;
  virtual void add(const ModuleType&) noexcept = 0;
  virtual void add(const ConstraintType&) noexcept = 0;
  virtual void add(const IntegratorType&) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept { (void)interface_name; return nullptr; }

 protected:
  ~Registrar() = default;
};

/// Plain bytes without relocations in a section of its own, so that the host reads it from the file and refuses a
/// library that does not fit before any of its code runs.
struct PluginManifest {
  char magic[16];            ///< "polyform-plugin"
  std::uint32_t size;        ///< of this struct
  std::uint32_t sdk_major, sdk_minor;
  char kind[16];             ///< "formulation", "integrator" or "elements"
  char name[64];
  char version[32];
  char abi[64];              ///< compiler and standard library: POLYFORM_ABI
  char instruction_set[16];  ///< lowest x86-64 level needed: POLYFORM_INSTRUCTION_SET
  std::uint32_t contract_sizes[8];  ///< sizes of the structs that cross the boundary
};

#define POLYFORM_STRING_2(x) #x
#define POLYFORM_STRING(x) POLYFORM_STRING_2(x)
/// Compiler family and C++ ABI, standard library and its string ABI.
#define POLYFORM_ABI "itanium-" POLYFORM_STRING(__GXX_ABI_VERSION) " libstdc++-cxx11-" POLYFORM_STRING(_GLIBCXX_USE_CXX11_ABI)
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define POLYFORM_INSTRUCTION_SET "x86-64-v4"
#elif defined(__AVX2__) && defined(__FMA__)
#define POLYFORM_INSTRUCTION_SET "x86-64-v3"
#elif defined(__x86_64__)
#define POLYFORM_INSTRUCTION_SET "x86-64"
#else
#define POLYFORM_INSTRUCTION_SET "native"
#endif

#define POLYFORM_CONTRACT_SIZES                                                                              \
  {                                                                                                          \
    sizeof(::polyform::SystemView), sizeof(::polyform::BodyData), sizeof(::polyform::JointData),              \
        sizeof(::polyform::FieldValue), sizeof(::polyform::FieldSpec), sizeof(::polyform::Observation),       \
        sizeof(::polyform::ElementInstance), sizeof(::polyform::JointMotion)                                  \
  }

/// The section that holds the manifest, and the names of the two symbols.
#define POLYFORM_MANIFEST_SECTION ".polyform"
#define POLYFORM_PLUGIN(kind_, name_, version_)                                                                       \
  extern "C" __attribute__((visibility("default"), used, section(POLYFORM_MANIFEST_SECTION)))                         \
  const ::polyform::PluginManifest polyform_manifest = {                                                              \
      "polyform-plugin", sizeof(::polyform::PluginManifest), ::polyform::sdk_major, ::polyform::sdk_minor, kind_,     \
      name_, version_, POLYFORM_ABI, POLYFORM_INSTRUCTION_SET, POLYFORM_CONTRACT_SIZES};                              \
  extern "C" __attribute__((visibility("default"))) void polyform_register(::polyform::Registrar& registrar) noexcept

}  // namespace polyform
