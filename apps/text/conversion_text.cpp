#include "apps/text/conversion_text.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "apps/text/wrapping.hpp"

namespace polyform::apps {

namespace {

std::string lines_of(const host::Conversion& conversion, Treatment treatment) {
  std::string text;
  for (const host::FoundThing& thing : conversion.findings) {
    if (thing.treatment != treatment) continue;
    std::string line = fmt::format("  {:>7}  {}", thing.count, thing.what);
    if (!thing.remark.empty()) line += ": " + thing.remark;
    if (thing.line > 0) line += fmt::format(" (line {})", thing.line);
    text += wrapped(line, 0, 11) + '\n';
  }
  return text;
}

}  // namespace

std::string conversion_text(const std::string& file, std::string_view format, const host::Conversion& conversion) {
  std::string text = wrapped(fmt::format("{} ({}): {} honoured, {} converted, {} not honoured", file, format,
                                         conversion.count(Treatment::honoured), conversion.count(Treatment::converted),
                                         conversion.count(Treatment::not_honoured)),
                             0, 2) +
                     '\n';
  if (const std::string lines = lines_of(conversion, Treatment::converted); !lines.empty())
    text += "converted:\n" + lines;
  if (const std::string lines = lines_of(conversion, Treatment::not_honoured); !lines.empty()) {
    text += "not honoured:\n" + lines;
    if (const std::size_t within = conversion.count(Treatment::kept_back); within > 0)
      text += fmt::format("  {:>7}  elements and attributes within these (--json lists them)\n", within);
  }
  return text;
}

Json conversion_json(const std::string& file, std::string_view format, const host::Conversion& conversion) {
  Json findings = Json::array();
  for (const host::FoundThing& thing : conversion.findings) {
    Json one = {{"treatment", host::name_of(thing.treatment)}, {"what", thing.what}, {"count", thing.count}};
    if (!thing.remark.empty()) one["remark"] = thing.remark;
    if (thing.line > 0) {
      one["line"] = thing.line;
      one["column"] = thing.column;
    }
    findings.push_back(std::move(one));
  }
  return {{"file", file},
          {"format", format},
          {"honoured", conversion.count(Treatment::honoured)},
          {"converted", conversion.count(Treatment::converted)},
          {"not_honoured", conversion.count(Treatment::not_honoured)},
          {"within", conversion.count(Treatment::kept_back)},
          {"findings", findings}};
}

void tell(const std::string& file, std::string_view format, const host::Conversion& conversion, bool json,
          const Json& more) {
  if (!json) {
    fmt::print(stderr, "{}", conversion_text(file, format, conversion));
    return;
  }
  Json out = conversion_json(file, format, conversion);
  out.update(more);
  fmt::print(stderr, "{}\n", out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void refuse_losses(const std::string& file, const host::Conversion& conversion) {
  const std::size_t losses = conversion.count(Treatment::not_honoured);
  if (losses == 0) return;
  throw host::Failure(host::Exit::bad_input,
                      fmt::format("--strict: {} thing{} of {} would not be honoured: {}", losses,
                                  losses == 1 ? "" : "s", file, host::summary_of_losses(conversion)),
                      "Remove them from the file, or leave --strict out. Nothing was written.");
}

}  // namespace polyform::apps
