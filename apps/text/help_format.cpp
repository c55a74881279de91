#include "apps/text/help_format.hpp"

#include <algorithm>

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
  std::string name = make_option_name(option, is_positional);
  name = name.substr(0, name.find('{'));  // of a flag: what it sets
  return wrapped_entry("  " + name + make_option_opts(option), make_option_desc(option), meaning_column);
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (option->get_type_size() != 0) {
    // Behind a colon stands what checks the value: a range, or the values, in braces.
    const std::string type = option->get_type_name();
    const std::size_t colon = type.find(':');
    std::string_view name = std::string_view(type).substr(0, colon), check;
    if (colon != std::string::npos) check = std::string_view(type).substr(colon + 1);
    if (const std::size_t values = check.find('{'); values != std::string_view::npos && name.find('|') == name.npos) {
      text = check.substr(values + 1, check.find('}') - values - 1);
      std::ranges::replace(text, ',', '|');
    } else if (name != "TEXT" || !option->get_positional()) {  // a positional argument has a name already
      text = name;
    }
    if (!text.empty()) text = " " + text;
    if (option->get_expected_max() > 2 && !text.ends_with("...")) text += " ...";
  }
  return text + (option->get_required() ? " (required)" : "");
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return wrapped_entry("  " + command->get_display_name(true), command->get_description(), 16);
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  const std::string footer = app->get_footer();
  return footer.empty() ? std::string() : wrapped_paragraphs(footer) + "\n";
}

}  // namespace polyform::apps
