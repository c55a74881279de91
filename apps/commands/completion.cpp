// polyform completion bash|zsh|fish: a completion script, made from the command line's own description and from what
// the plugins offer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

#include "apps/command.hpp"
#include "apps/session/session.hpp"
#include "apps/text/terminal.hpp"
#include "framework/diagnostics.hpp"

namespace polyform::apps {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  return words;
}

/// What may follow a command: its own commands and options.
std::string words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* sub : commands_of(app)) words.push_back(sub->get_name());
  for (const std::string& option : options_of(app)) words.push_back(option);
  return fmt::format("{}", fmt::join(words, " "));
}

/// Text in single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Words between spaces, each in quotes.
std::string each_quoted(const std::string& words) {
  std::string out;
  std::istringstream in(words);
  for (std::string word; in >> word;) out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

/// What may follow some options of commands.
struct Value {
  std::string option, words;
  std::string command = "*";  ///< "*": of all but those that stand before
};
using Values = std::vector<Value>;

Strided<const FieldSpec> options_of(const Formulation& formulation) { return formulation.options(); }
Strided<const FieldSpec> options_of(const IntegratorType& type) { return type.fields(); }
Strided<const FieldSpec> options_of(const ImporterType& type) { return type.fields(); }

template <class Types>
std::string options_of_all(const Types& types) {
  std::set<std::string> keys;
  for (const auto& [name, type] : types)
    for (const FieldSpec& field : options_of(*type)) keys.insert(std::string(field.name) + "=");
  return fmt::format("{}", fmt::join(keys, " "));
}

template <class Types>
std::string names_of_all(const Types& types) {
  std::string names;
  for (const auto& [name, type] : types) names += fmt::format("{}{}", names.empty() ? "" : " ", name);
  return names;
}

Values values_of(const host::Catalog& catalog) {
  const std::string solvers = names_of_all(catalog.formulations), of_importers = options_of_all(catalog.importers);
  return {{"--option", of_importers, "import"},
          {"--import-option", of_importers},
          {"--solver", solvers},
          {"--solvers", solvers},
          {"--option", options_of_all(catalog.formulations)},
          {"--integrator", names_of_all(catalog.integrators)},
          {"--integrator-option", options_of_all(catalog.integrators)}};
}

std::string bash(const CLI::App& app, const Values& values) {
  std::string cases, of_options;
  for (const auto& [option, words, command] : values)
    of_options += fmt::format("    {}:{}) words={} ;;\n", command, option, shell_quoted(words));
  for (const CLI::App* sub : commands_of(app))
    cases += fmt::format("    {}) words='{}' ;;\n", sub->get_name(), words_of(*sub));
  return fmt::format(R"sh(# polyform completion for bash: eval "$(polyform completion bash)"
_polyform() {{
  local words word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  if [[ $word == '=' ]]; then word=; elif [[ $before == '=' ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case ${{COMP_WORDS[1]}}:$before in
{}  esac
  if [[ $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2> /dev/null
    return
  fi
  case $COMP_CWORD:${{COMP_WORDS[1]}} in
    1:*) words='{}' ;;
    *) case ${{COMP_WORDS[1]}} in
{}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _polyform polyform
)sh",
                     of_options, words_of(app), cases);
}

std::string zsh(const CLI::App& app, const Values& values) {
  std::string commands, cases, of_options;
  for (const auto& [option, words, command] : values)
    of_options += fmt::format("    {}:{}) compadd{} -- {}; return ;;\n", command, option,
                              words.ends_with('=') ? " -S ''" : "", each_quoted(words));
  for (const CLI::App* sub : commands_of(app)) {
    commands += fmt::format("    {}\n", shell_quoted(sub->get_name() + ":" + sub->get_description()));
    cases += fmt::format("    {}) compadd -- {} ;;\n", sub->get_name(), words_of(*sub));
  }
  return fmt::format(R"sh(#compdef polyform
# polyform completion for zsh: eval "$(polyform completion zsh)"
_polyform() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  case $words[2]:$words[CURRENT-1] in
{}  esac
  [[ $PREFIX == -* ]] || _files
  case $words[2] in
{}  esac
}}
compdef _polyform polyform
)sh",
                     commands, of_options, cases);
}

std::string fish(const CLI::App& app, const Values& values) {
  std::string lines = "# polyform completion for fish: polyform completion fish | source\n";
  for (const CLI::App* sub : commands_of(app)) {
    lines += fmt::format("complete -c polyform -n __fish_use_subcommand -f -a {} -d {}\n", sub->get_name(),
                         shell_quoted(sub->get_description()));
    for (const CLI::App* below : commands_of(*sub))
      lines += fmt::format("complete -c polyform -n '__fish_seen_subcommand_from {}' -a {} -d {}\n", sub->get_name(),
                           below->get_name(), shell_quoted(below->get_description()));
    for (const CLI::Option* option : sub->get_options())
      for (const std::string& name : option->get_lnames()) {
        const auto known = std::ranges::find_if(values, [&](const Value& value) {
          return value.option == "--" + name && (value.command == "*" || value.command == sub->get_name());
        });
        const std::string argument = known != values.end()            ? " -x -a " + shell_quoted(known->words)
                                     : option->get_expected_min() > 0 ? " -r"
                                                                      : "";
        lines += fmt::format("complete -c polyform -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n",
                             sub->get_name(), name, argument, shell_quoted(option->get_description()));
      }
  }
  return lines;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("completion", "Print a script that completes commands and options in your shell");
  const auto shell = std::make_shared<std::string>();
  sub->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  sub->footer("Example: eval \"$(polyform completion bash)\"");
  sub->final_callback([&app, &action, shell] {
    action = [&app, shell] {
      Values values;
      try {
        values = values_of(Session({}).catalog());
      } catch (const host::Failure&) {
        // Plugins that contradict each other: the script still knows commands and options.
      }
      const auto& script = *shell == "bash" ? bash : *shell == "zsh" ? zsh : fish;
      fmt::print(output(), "{}", script(app, values));
      return host::Exit::done;
    };
  });
}

}  // namespace polyform::apps
