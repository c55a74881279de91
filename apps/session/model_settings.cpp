#include "apps/session/model_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/host/reading/report.hpp"

namespace polyform::apps {

void set_values(host::VariedModel& model, const std::vector<std::string>& given) {
  std::vector<std::string> paths;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw host::Failure(host::Exit::bad_input, fmt::format("--set: expected PATH=VALUE, found {}", host::show(text)),
                          "For example --set parameters.k=50 or --set bodies.rod.mass=2.");
    std::string path = text.substr(0, equals);
    if (std::ranges::find(paths, path) != paths.end())
      throw host::Failure(host::Exit::bad_input, fmt::format("--set gives {} twice", host::show(path)),
                          "Leave one of them out.");
    model.set(model.add(path), text.substr(equals + 1));
    paths.push_back(std::move(path));
  }
}

}  // namespace polyform::apps
