#include <fmt/format.h>

#include <algorithm>

#include "apps/library/internal.hpp"

namespace polyform::library {

Error::Error(Kind kind, std::vector<Message> messages, std::exception_ptr thrown)
    : kind_(kind), messages_(std::move(messages)), thrown_(std::move(thrown)) {
  const auto is_error = [](const Message& m) { return m.severity == Message::Severity::error; };
  if (std::ranges::none_of(messages_, is_error)) messages_.push_back({.text = "unexpected failure"});
  for (const Message& message : messages_)
    if (is_error(message)) what_ += (what_.empty() ? "" : "\n") + message.str();
}

const Message& Error::first() const noexcept {
  const auto is_error = [](const Message& m) { return m.severity == Message::Severity::error; };
  return *std::ranges::find_if(messages_, is_error);
}

std::string Message::str() const {
  const polyform::Severity level = severity == Severity::error     ? polyform::Severity::error
                                   : severity == Severity::warning ? polyform::Severity::warning
                                                                   : polyform::Severity::note;
  return host::format({.severity = level,
                       .message = text,
                       .remedy = remedy,
                       .path = path,
                       .file = file,
                       .line = line,
                       .column = column});
}

Message message_of(const Diagnostic& d) {
  return {static_cast<Message::Severity>(static_cast<int>(d.severity)),
          std::string(d.message),
          std::string(d.remedy),
          std::string(d.path),
          std::string(d.file),
          d.line,
          d.column};
}

std::vector<Message> messages_of(const host::Diagnostics& diagnostics) {
  std::vector<Message> messages;
  for (const Diagnostic& d : diagnostics.all()) messages.push_back(message_of(d));
  return messages;
}

Error error_of(const host::Failure& failure, const host::Diagnostics& said, std::exception_ptr thrown) {
  std::vector<Message> messages = messages_of(said);
  if (failure.message() != apps::already_said)
    messages.push_back({.text = failure.message(), .remedy = failure.remedy()});
  const int code = static_cast<int>(failure.code());
  return Error(static_cast<Error::Kind>(code), std::move(messages), std::move(thrown));
}

Error unexpected(const char* what) {
  return Error(Error::Kind::simulation_failed,
               {{.text = fmt::format("unexpected failure: {}", what), .remedy = host::remedies::report_defect}});
}

Error error_of_function(const std::exception_ptr& thrown, const std::string& whose) {
  std::string what = "an exception";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  return Error(Error::Kind::simulation_failed,
               {{.text = fmt::format("the function `{}` failed: {}", whose, what),
                 .remedy = "Mend the function; results until then are kept."}},
               thrown);
}

void refuse(std::string message, std::string remedy) {
  throw host::Failure(host::Exit::bad_input, std::move(message), std::move(remedy));
}

}  // namespace polyform::library
