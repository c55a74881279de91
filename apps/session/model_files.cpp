#include "apps/session/model_files.hpp"

#include "framework/files_read.hpp"

namespace polyform::apps {

void add_model_files(host::FileRoles& files, const ModelArguments& arguments) {
  files.read("the model", arguments.file);
  if (!arguments.state.empty()) files.read("the state", arguments.state);
  files.read_files("the plugin", arguments.plugin_paths);
}

void add_parts(host::FileRoles& files) {
  for (const std::string& path : host::take_read_files()) files.read("a file of the model", path);
}

}  // namespace polyform::apps
