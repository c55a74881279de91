#include "apps/fmi/component.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "framework/diagnostics.hpp"

namespace polyform::fmi {

namespace {

void add(std::string& text, std::string_view sentence) {
  if (sentence.empty()) return;
  if (!text.empty()) text += '\n';
  text += sentence;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    out += escaped ? static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2])) : text[i];
    if (escaped) i += 2;
  }
  return out;
}

}  // namespace

std::string said(const host::Failure& failure, const host::Diagnostics& held) {
  std::string text;
  for (const Diagnostic& d : held.all())
    if (d.severity == Severity::error) add(text, host::format(d));
  add(text, failure.message());
  add(text, failure.remedy());
  return text.empty() ? "the call failed" : text;
}

void log_warnings(const Component& component, const host::Diagnostics& held) {
  if (!component.logs_warnings) return;
  for (const Diagnostic& d : held.all()) component.log(Answer::warning, "logStatusWarning", host::format(d));
}

void expect_stage(const Component& c, Stage first, Stage last) {
  if (c.stage >= first && c.stage <= last) return;
  constexpr std::string_view where[] = {"before EnterInitializationMode", "in the initialization mode",
                                        "after ExitInitializationMode", "after Terminate"};
  throw host::Failure(host::Exit::bad_input,
                      fmt::format("the call is made {}, where the standard does not allow it",
                                  where[static_cast<std::size_t>(c.stage)]),
                      c.stage < first
                          ? "Initialize the instance first: EnterInitializationMode, then ExitInitializationMode."
                          : "Reset the instance first, or make another.");
}

void take_state(Component& c, void** kept) {
  InstanceState state = c.instance->state();
  state.stage = c.stage;
  if (*kept != nullptr)
    *static_cast<InstanceState*>(*kept) = std::move(state);
  else
    *kept = new InstanceState(std::move(state));
}

void free_state(void** kept) noexcept {
  if (kept == nullptr) return;
  delete static_cast<InstanceState*>(*kept);
  *kept = nullptr;
}

void serialize(const void* kept, std::span<std::byte> out) {
  const std::vector<std::byte> bytes = static_cast<const InstanceState*>(kept)->bytes();
  if (bytes.size() > out.size())
    throw host::Failure(host::Exit::bad_input, "there is no room for the serialized state");
  std::ranges::copy(bytes, out.begin());
}

void* deserialized(std::span<const std::byte> bytes) { return new InstanceState(InstanceState::from(bytes)); }

void copy_numbers(std::span<const double> from, std::span<double> out) {
  if (from.size() != out.size())
    throw host::Failure(host::Exit::bad_input,
                        fmt::format("room for {} numbers is given, expected {}", out.size(), from.size()));
  std::ranges::copy(from, out.begin());
}

std::string resources_folder(const char* location) {
  std::string_view given = location == nullptr ? "" : location;
  if (given.starts_with("file:")) {
    given.remove_prefix(5);
    // file:/path, file:///path, file://localhost/path
    if (given.starts_with("//")) {
      given.remove_prefix(2);
      given.remove_prefix(std::min(given.size(), given.find('/')));
    }
    return decoded(given);
  }
  if (!given.empty()) return std::string(given);
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&resources_folder), &here) == 0 || here.dli_fname == nullptr) return {};
  return (std::filesystem::path(here.dli_fname).parent_path() / "../../resources").lexically_normal().string();
}

std::unique_ptr<Component> made(const std::string& name, const std::string& token, const std::string& resources,
                                Kind kind, std::function<void(Answer, const char*, const std::string&)> log,
                                bool logs_warnings) {
  auto component = std::make_unique<Component>(Component{nullptr, name, std::move(log), logs_warnings});
  const Answer answer = answering(
      component.get(), [&](Component& c) { c.instance = std::make_unique<Instance>(resources, token, kind); });
  return answer == Answer::ok ? std::move(component) : nullptr;
}

}  // namespace polyform::fmi
