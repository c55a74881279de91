// Messages of failures that the recursive solver and the sparse solver both give. Each function notes its message in
// `failure` and returns false.
#pragma once

#include <string_view>

#include "polyform/helpers/failure.hpp"

namespace polyform::particles {

inline bool fail_load(Failure& failure, std::string_view body) noexcept {
  return failure.say("The load on body `{}` is not finite: a force, the state or the time step has gone astray", body);
}

}  // namespace polyform::particles
