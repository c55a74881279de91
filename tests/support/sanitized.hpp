// Whether the tests are built with the address sanitizer, which takes over memory. Limits on memory, and how much a
// process takes, then mean nothing.
#pragma once

namespace polyform::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif

}  // namespace polyform::test
