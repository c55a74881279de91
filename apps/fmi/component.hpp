// What the C functions of both versions share: an instance behind a pointer, and the way from failures to a status.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/fmi/instance.hpp"
#include "apps/text/terminal.hpp"

namespace polyform::fmi {

/// In the order of the standard, the same in both versions.
enum class Answer { ok, warning, discard, error, fatal };

struct Component {
  std::unique_ptr<Instance> instance;
  std::string name;
  std::function<void(Answer, const char* category, const std::string& message)> log;
  bool logs_warnings = false;
  Stage stage = Stage::made;
  double last_time = 0;                                            ///< the last time that a step has reached
  std::vector<std::size_t> references = {}, more_references = {};  ///< room
};

/// A message as text; the remedy follows it.
std::string said(const host::Failure&, const host::Diagnostics&);
void log_warnings(const Component&, const host::Diagnostics&);

/// Does the work of one call for an instance, which may be nullptr. No exception leaves it.
template <class Work>
Answer answering(Component* component, Work&& work) noexcept {
  if (component == nullptr) return Answer::error;
  try {
    const apps::HeldMessages held;
    try {
      work(*component);
      log_warnings(*component, held.all());
      return Answer::ok;
    } catch (const host::Failure& failure) {
      component->log(Answer::error, "logStatusError", said(failure, held.all()));
    } catch (const std::bad_alloc&) {
      component->log(Answer::error, "logStatusError", "memory ran out");
    } catch (const std::exception& problem) {
      component->log(Answer::error, "logStatusError", problem.what());
    }
  } catch (...) {
  }
  return Answer::error;
}

/// Makes a component of the kind; nullptr after a message to the log.
std::unique_ptr<Component> made(const std::string& name, const std::string& token, const std::string& resources, Kind,
                                std::function<void(Answer, const char*, const std::string&)> log, bool logs_warnings);

/// Failure (bad_input) if a call is made before or behind the stages that it belongs to.
void expect_stage(const Component&, Stage first, Stage last);

// States of an instance, as the C functions of both versions hand them about.

/// Copies the state of the instance to *kept, which is made if it is nullptr.
void take_state(Component&, void** kept);
/// Frees *kept and sets it to nullptr. kept may be nullptr itself.
void free_state(void** kept) noexcept;
/// Writes the bytes of a state. Failure (bad_input) if there is no room.
void serialize(const void* kept, std::span<std::byte> out);
/// The state in the bytes. Failure (bad_input) if they hold none.
void* deserialized(std::span<const std::byte> bytes);

/// Copies numbers of model exchange into the caller's room. Failure (bad_input) if their number differs.
void copy_numbers(std::span<const double> from, std::span<double> out);

/// The folder of a file URI, or if none is given that of this library's FMU: ../../resources.
std::string resources_folder(const char* location);

}  // namespace polyform::fmi
