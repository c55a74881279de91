#include "apps/session/model_files.hpp"

#include "framework/files_read.hpp"

namespace polyform::apps {

void add_model_files(host::FileRoles& files, const ModelArguments& arguments) {
  files.read("the model", arguments.file);
  if (!arguments.state.empty()) files.read("the state", arguments.state);
  files.read_files("the plugin", arguments.plugin_paths);
}

std::vector<std::string> add_parts(host::FileRoles& files) {
  std::vector<std::string> parts = host::take_read_files();
  for (const std::string& path : parts) files.read("a file of the model", path);
  return parts;
}

}  // namespace polyform::apps
