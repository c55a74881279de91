#include "framework/host/registry/plugin_record.hpp"

namespace polyform::host::inline registry {

std::string_view name_of(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::unreadable: return "unreadable";
    case Refusal::not_a_library: return "not_a_library";
    case Refusal::missing_symbol: return "missing_symbol";
    case Refusal::bad_manifest: return "bad_manifest";
    case Refusal::sdk_version: return "sdk_version";
    case Refusal::compiler_abi: return "compiler_abi";
    case Refusal::contract_sizes: return "contract_sizes";
    case Refusal::instruction_set: return "instruction_set";
    case Refusal::duplicate_name: return "duplicate_name";
    case Refusal::missing_dependency: return "missing_dependency";
    case Refusal::unsafe_permissions: return "unsafe_permissions";
    case Refusal::failed_to_register: return "failed_to_register";
  }
  return "refused";
}

std::string_view name_of(PluginStatus status) noexcept {
  switch (status) {
    case PluginStatus::loaded: return "loaded";
    case PluginStatus::passed_over: return "passed over";
    case PluginStatus::refused: return "refused";
  }
  return "refused";
}

}  // namespace polyform::host::registry
