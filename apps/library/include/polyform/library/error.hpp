// The messages of the library, and the exception that it throws.
#pragma once

#include <exception>
#include <string>
#include <vector>

/// Marks the classes that the library exports.
#define POLYFORM_SHOWN __attribute__((visibility("default")))

namespace polyform::library {

/// One thing that was found in a model or a request.
struct POLYFORM_SHOWN Message {
  enum class Severity { note, warning, error };
  Severity severity = Severity::error;
  std::string text = {};     ///< what was found, and what is expected
  std::string remedy = {};   ///< what to do; may be empty
  std::string path = {};     ///< in the model, such as joints[2].axis; may be empty
  std::string file = {};     ///< may be empty
  int line = 0, column = 0;  ///< from 1; 0 if not known

  /// "file:line:column: error: path: text", and the remedy on a line of its own.
  std::string str() const;
};

/// The only exception of the library.
class POLYFORM_SHOWN Error : public std::exception {
 public:
  /// The kinds, with the exit codes of the command.
  enum class Kind { simulation_failed = 1, bad_input = 2, no_plugin = 3, interrupted = 130 };

  Error(Kind, std::vector<Message>, std::exception_ptr thrown = nullptr);

  Kind kind() const noexcept { return kind_; }
  /// The first message that is an error.
  const Message& first() const noexcept;
  /// All messages, warnings too; at least one is an error.
  const std::vector<Message>& messages() const noexcept { return messages_; }
  /// The exception of a function of the caller, if that is the cause; else nullptr.
  const std::exception_ptr& thrown() const noexcept { return thrown_; }
  /// All errors, as Message::str.
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  Kind kind_;
  std::vector<Message> messages_;
  std::exception_ptr thrown_;
  std::string what_;
};

}  // namespace polyform::library
