// What is told of a compiled model.
#pragma once

#include <string>

#include "apps/text/json_output.hpp"
#include "framework/workbench/compilation/compiled_model_plugin.hpp"

namespace polyform::apps {

/// Two lines: the file of the plugin, or another that it was copied to; the compiler, and how long it took.
std::string compiled_text(const host::CompiledModelPlugin&, const std::string& file = {});
Json compiled_json(const host::CompiledModelPlugin&);

}  // namespace polyform::apps
