// polyform schema: JSON Schema of the model file, with the elements of all plugins found, or of study files.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/session.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/workbench/studies/study_file.hpp"

namespace polyform::apps {

void add_schema(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("schema", "Print the JSON Schema of the model file, for people and editors");
  const auto of_study = std::make_shared<bool>(false);
  sub->add_flag("--study", *of_study, "Of study files, which `polyform study` reads");
  const auto paths = std::make_shared<std::vector<std::string>>();
  add_plugin_path(*sub, *paths);
  sub->footer("Example: polyform schema > polyform.schema.json");
  sub->final_callback([&action, paths, of_study] {
    action = [paths, of_study] {
      const Session session(*paths);
      const std::string schema =
          (*of_study ? host::study_schema(session.catalog()) : host::model_schema(session.catalog())) + "\n";
      std::fwrite(schema.data(), 1, schema.size(), output());  // main() reports an output that took less
      return host::Exit::done;
    };
  });
}

}  // namespace polyform::apps
