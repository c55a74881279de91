// Copies of structures that others made, with all members that are known here: for code that keeps or changes them.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "polyform/contract/growth.hpp"

namespace polyform {

/// Copies structure i of an array to `to`; members that its maker does not know keep their values.
template <class T>
void copy_known(Strided<T> all, std::size_t i, std::remove_const_t<T>& to) noexcept {
  std::size_t first = 0;
  if constexpr (requires { to.size.bytes(); }) first = sizeof to.size;  // the size stays that of `to`
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
