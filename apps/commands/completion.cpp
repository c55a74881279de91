// polyform completion bash|zsh|fish: a completion script, made from the command line's own description.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/command.hpp"
#include "apps/text/terminal.hpp"

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

std::string bash(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* sub : commands_of(app))
    cases += fmt::format("    {}) words='{}' ;;\n", sub->get_name(), words_of(*sub));
  return fmt::format(R"sh(# polyform completion for bash: eval "$(polyform completion bash)"
_polyform() {{
  local words
  case $COMP_CWORD:${{COMP_WORDS[1]}} in
    1:*) words='{}' ;;
    *) case ${{COMP_WORDS[1]}} in
{}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _polyform polyform
)sh",
                     words_of(app), cases);
}

std::string zsh(const CLI::App& app) {
  std::string commands, cases;
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
  [[ $PREFIX == -* ]] || _files
  case $words[2] in
{}  esac
}}
compdef _polyform polyform
)sh",
                     commands, cases);
}

std::string fish(const CLI::App& app) {
  std::string lines = "# polyform completion for fish: polyform completion fish | source\n";
  for (const CLI::App* sub : commands_of(app)) {
    lines += fmt::format("complete -c polyform -n __fish_use_subcommand -f -a {} -d {}\n", sub->get_name(),
                         shell_quoted(sub->get_description()));
    for (const CLI::App* below : commands_of(*sub))
      lines += fmt::format("complete -c polyform -n '__fish_seen_subcommand_from {}' -a {} -d {}\n", sub->get_name(),
                           below->get_name(), shell_quoted(below->get_description()));
    for (const CLI::Option* option : sub->get_options())
      for (const std::string& name : option->get_lnames())
        lines +=
            fmt::format("complete -c polyform -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n", sub->get_name(),
                        name, option->get_expected_min() > 0 ? " -r" : "", shell_quoted(option->get_description()));
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
      fmt::print(output(), "{}", *shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
      return host::Exit::done;
    };
  });
}

}  // namespace polyform::apps
