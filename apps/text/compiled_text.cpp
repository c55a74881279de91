#include "apps/text/compiled_text.hpp"

#include <fmt/format.h>

namespace polyform::apps {

std::string compiled_text(const host::CompiledModelPlugin& plugin, const std::string& file) {
  const host::CompiledPlugin& made = plugin.made();
  const std::string when = made.kept ? "it was kept from before" : fmt::format("it took {:.1f} s", made.seconds);
  return fmt::format("{}\n  by {} for {}; {}", file.empty() ? made.file.string() : file, made.compiler,
                     made.instruction_set, when);
}

Json compiled_json(const host::CompiledModelPlugin& plugin) {
  const host::CompiledPlugin& made = plugin.made();
  return {{"solver", plugin.formulation().name()},   {"file", made.file.string()}, {"compiler", made.compiler},
          {"instruction_set", made.instruction_set}, {"seconds", made.seconds},    {"kept", made.kept}};
}

}  // namespace polyform::apps
