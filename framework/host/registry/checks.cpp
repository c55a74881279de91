#include "framework/host/registry/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "framework/host/registry/elf_manifest.hpp"

namespace polyform::host::inline registry {

namespace {

constexpr std::string_view rebuild = "rebuild the plugin against the SDK of this polyform";

/// Text of a fixed field: up to its zero byte or its end, unprintable bytes as '?', so that it is safe to print.
template <std::size_t size>
std::string text_of(const char (&field)[size]) {
  std::string text(field, ::strnlen(field, size));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

bool is_plain_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain);
}

void describe(PluginRecord& record, const PluginManifest& manifest) {
  record.kind = text_of(manifest.kind);
  record.name = text_of(manifest.name);
  record.version = text_of(manifest.version);
  record.abi = text_of(manifest.abi);
  record.instruction_set = text_of(manifest.instruction_set);
  record.compiler = text_of(manifest.compiler);
  record.sdk_version = fmt::format("{}.{}", manifest.sdk_major, manifest.sdk_minor);
}

/// Magic word and SDK version stand at the same place in manifests of all SDKs; the rest is only read after them.
bool check_sdk(PluginRecord& record, const PluginManifest& manifest) {
  if (text_of(manifest.magic) != "polyform-plugin") {
    refuse(record, Refusal::bad_manifest,
           fmt::format("has a manifest that begins with '{}' instead of 'polyform-plugin'", text_of(manifest.magic)),
           "build it with POLYFORM_PLUGIN");
    return false;
  }
  record.sdk_version = fmt::format("{}.{}", manifest.sdk_major, manifest.sdk_minor);
  if (manifest.sdk_major == sdk_major) return true;
  refuse(record, Refusal::sdk_version,
         fmt::format("was built with SDK {}, but this polyform offers SDK {}.{}", record.sdk_version, sdk_major,
                     sdk_minor),
         manifest.sdk_major < sdk_major ? rebuild : "rebuild it with this SDK, or use a newer polyform");
  return false;
}

/// The size in SDK 1.0; later manifests are longer.
constexpr std::size_t least_manifest = sizeof(PluginManifest);

bool check_manifest(PluginRecord& record, const PluginManifest& manifest) {
  if (manifest.size < least_manifest) {
    refuse(record, Refusal::bad_manifest,
           fmt::format("has a manifest of {} bytes, where {} are expected at least", manifest.size, least_manifest),
           rebuild);
    return false;
  }
  std::string finding;
  constexpr std::array<std::string_view, 5> kinds{"formulation", "integrator", "importer", "device", "elements"};
  if (std::ranges::find(kinds, record.kind) == kinds.end())
    finding = fmt::format(
        "calls itself a plugin of kind '{}', where 'formulation', 'integrator', 'importer', 'device' or 'elements' is "
        "expected",
        record.kind);
  else if (!is_plain_name(record.name))
    finding =
        fmt::format("has the plugin name '{}', where letters, digits, '-', '_' and '.' are expected", record.name);
  else if (record.version.empty())
    finding = "has no version in its manifest";
  if (finding.empty()) return true;
  refuse(record, Refusal::bad_manifest, finding,
         "correct POLYFORM_PLUGIN(kind, name, version) in its plugin.cpp and rebuild it");
  return false;
}

/// A plugin of an older SDK fits, and one of a newer SDK that can do with what there is here.
bool check_needs(PluginRecord& record, const PluginManifest& manifest) {
  if (manifest.needs_minor <= sdk_minor) return true;
  refuse(record, Refusal::sdk_version,
         fmt::format("needs what came with SDK {}.{}, but this polyform offers SDK {}.{}", sdk_major,
                     manifest.needs_minor, sdk_major, sdk_minor),
         fmt::format("use a polyform that offers SDK {}.{} or a later one of {}.x, or rebuild the plugin with this SDK",
                     sdk_major, manifest.needs_minor, sdk_major));
  return false;
}

bool check_abi(PluginRecord& record) {
  if (record.abi == POLYFORM_ABI) return true;
  refuse(record, Refusal::compiler_abi,
         fmt::format("was built for the ABI '{}' ({}), but this polyform has '{}' ({})", record.abi, record.compiler,
                     POLYFORM_ABI, POLYFORM_COMPILER),
         "rebuild the plugin with the standard library of this polyform");
  return false;
}

/// The members that the plugin relies on must lie where they lie here. Equal sources and compilers see to that, unless
/// options or changed headers move them.
bool check_layouts(PluginRecord& record, const PluginManifest& manifest) {
  const auto here = contract_layouts(manifest.needs_minor);
  for (std::size_t i = 0; i < std::size(structure_records); ++i) {
    if (manifest.layouts[i] == here[i]) continue;
    refuse(record, Refusal::contract_sizes,
           fmt::format("lays out {} otherwise than SDK {}.{} of this polyform, although it was built with SDK {} ({})",
                       structure_records[i].name, sdk_major, manifest.needs_minor, record.sdk_version, record.compiler),
           "rebuild the plugin against the unchanged headers of the SDK, without compiler options that pack structures "
           "or shorten enumerations");
    return false;
  }
  return true;
}

}  // namespace

void refuse(PluginRecord& record, Refusal refusal, std::string_view finding, std::string_view remedy) {
  record.status = PluginStatus::refused;
  record.refusal = refusal;
  record.explanation = fmt::format("{} {}; {}.", record.file, finding, remedy);
  record.offers.clear();
}

bool examine(PluginRecord& record, Candidate& candidate) {
  const ManifestReading reading = read_manifest(candidate.file);
  if (!reading.manifest) {
    refuse(record, reading.refusal, reading.finding, reading.remedy);
    return false;
  }
  candidate.manifest = *reading.manifest;
  if (!check_sdk(record, candidate.manifest)) return false;
  describe(record, candidate.manifest);
  return check_manifest(record, candidate.manifest) && check_needs(record, candidate.manifest) && check_abi(record) &&
         check_layouts(record, candidate.manifest) && check_permissions(record);
}

int usable_rank(std::string_view set) noexcept {
#if defined(__x86_64__)
  // The levels by the instructions that tell them apart; some compilers do not know the levels by their names.
  const bool second = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"),
             third = second && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                     __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"),
             fourth = third && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (set == "x86-64") return 1;
  if (set == "x86-64-v2") return second ? 2 : 0;
  if (set == "x86-64-v3") return third ? 3 : 0;
  if (set == "x86-64-v4") return fourth ? 4 : 0;
  return 0;
#else
  return set == "native" ? 1 : 0;
#endif
}

std::string_view best_instruction_set() noexcept {
  std::string_view best = POLYFORM_INSTRUCTION_SET;
  for (const std::string_view set : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    if (usable_rank(set) > usable_rank(best)) best = set;
  return best;
}

void refuse_instruction_set(PluginRecord& record) {
  refuse(record, Refusal::instruction_set,
         fmt::format("needs a CPU with the instruction set '{}', but this one offers at most '{}'",
                     record.instruction_set, best_instruction_set()),
         fmt::format("build the plugin for {} too", POLYFORM_INSTRUCTION_SET));
}

}  // namespace polyform::host::registry
