// Copies of structures that others made, with all members that are known here: for who keeps them or changes a copy.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "polyform/contract/growth.hpp"

namespace polyform {

/// What structure i of an array says goes into `to`; members that its maker does not know stay as they are.
template <class T>
void copy_known(Strided<T> all, std::size_t i, std::remove_const_t<T>& to) noexcept {
  std::size_t first = 0;
  if constexpr (requires { to.size.bytes(); }) first = sizeof to.size;  // a copy has the size of its own maker
  const std::size_t known = all.stride() < sizeof(T) ? all.stride() : sizeof(T);
  std::memcpy(reinterpret_cast<char*>(&to) + first, reinterpret_cast<const char*>(&all[i]) + first, known - first);
}
template <class T>
std::remove_const_t<T> completed(Strided<T> all, std::size_t i) noexcept {
  std::remove_const_t<T> whole;
  copy_known(all, i, whole);
  return whole;
}
template <class T>
std::vector<std::remove_const_t<T>> completed(Strided<T> all) {
  std::vector<std::remove_const_t<T>> whole(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) copy_known(all, i, whole[i]);
  return whole;
}

}  // namespace polyform
