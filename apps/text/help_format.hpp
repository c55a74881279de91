// The layout of --help: 80 columns, options and their meanings side by side.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace polyform::apps {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace polyform::apps
