// A batch that the host makes for itself, for events and outputs of elements; solvers have their own.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <type_traits>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline evaluation {

using OwnBatch = std::unique_ptr<void, void (*)(void*)>;

/// Makes the batch of all instances of one type; the second of the pair destroys it. Failure (simulation_failed) if
/// that cannot be made.
template <class Group>
auto make_own_batch(const Group& group) {
  auto* batch = group.type->create(group.instances);
  using Object = std::remove_pointer_t<decltype(batch)>;
  if (batch == nullptr)
    throw Failure(Exit::simulation_failed, fmt::format("the elements of type {} could not be made", group.type->name()),
                  "Perhaps memory ran out.");
  return std::pair(batch, OwnBatch(batch, [](void* it) { static_cast<Object*>(it)->destroy(); }));
}

}  // namespace polyform::host::evaluation
