#include "apps/text/help_format.hpp"

#include "apps/text/wrapping.hpp"

namespace polyform::apps {

namespace {

constexpr std::size_t meaning_column = 28;

}  // namespace

HelpFormat::HelpFormat() {
  label("Positionals", "Arguments");
  label("REQUIRED", "(required)");
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  return wrapped_paragraphs(CLI::Formatter::make_description(app));
}

std::string HelpFormat::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = CLI::Formatter::make_usage(app, std::move(name));
  while (!usage.empty() && usage.back() == '\n') usage.pop_back();
  return wrapped(usage, 0, 2) + "\n";
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return wrapped_entry("  " + make_option_name(option, is_positional) + make_option_opts(option),
                       make_option_desc(option), meaning_column);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return wrapped_entry("  " + command->get_display_name(true), command->get_description(), 16);
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  const std::string footer = app->get_footer();
  return footer.empty() ? std::string() : wrapped_paragraphs(footer) + "\n";
}

}  // namespace polyform::apps
