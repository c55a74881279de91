// The build fails here if a structure that crosses differs from its record in contract_table.inc.
#include "polyform/contract/contract_layout.hpp"

#include <iterator>
#include <type_traits>
#include <utility>

#include "polyform/contract/plugin.hpp"
#include "polyform/contract/rheonomic_joint.hpp"

namespace polyform {
namespace {

/// A value that can become a member of any type.
struct Anything {
  template <class T>
  constexpr operator T() const noexcept;
};

/// The most initializers that the aggregate T takes: its members, and the elements of those that are arrays.
template <class T, class... Before>
constexpr std::size_t initializers() {
  if constexpr (requires { T{std::declval<Before>()..., std::declval<Anything>()}; })
    return initializers<T, Before..., Anything>();
  else
    return sizeof...(Before);
}

constexpr bool sizes_are_recorded() {
  for (const StructureRecord& s : structure_records)
    if (s.size != s.recorded_size) return false;
  return true;
}

constexpr bool offsets_are_recorded() {
  for (const MemberRecord& m : member_records)
    if (m.offset != m.recorded_offset) return false;
  return true;
}

/// Whether members come in the order of their offsets and versions, and no later one is of a frozen structure.
constexpr bool members_come_last() {
  for (std::size_t i = 0; i < std::size(member_records); ++i) {
    const MemberRecord& m = member_records[i];
    if (m.minor > sdk_minor || (m.minor > 0 && structure_records[static_cast<std::size_t>(m.structure)].frozen))
      return false;
    if (i == 0 || member_records[i - 1].structure != m.structure) continue;
    if (m.offset <= member_records[i - 1].offset || m.minor < member_records[i - 1].minor) return false;
  }
  return true;
}

/// Whether a structure tells how far it reaches: by its Size, or by the stride of the array in which it comes.
template <class T>
constexpr bool begins_with_size() {
  if constexpr (requires(T t) { t.size.bytes(); })
    return __builtin_offsetof(T, size) == 0;
  else
    return true;
}

/// The initializers of a member: one for each element, if it is an array.
template <class M>
constexpr std::size_t elements = 1;
template <class M, std::size_t n>
constexpr std::size_t elements<M[n]> = n;

template <class M>
constexpr bool is_later = false;
template <class M>
constexpr bool is_later<Later<M>> = true;

constexpr std::size_t recorded_initializers[] = {
#define POLYFORM_FROZEN(id, type, size) +0, 0
#define POLYFORM_STRUCTURE(id, type, size) +0, 0
#define POLYFORM_MEMBER(id, type, member, offset, minor) +elements<decltype(type::member)>
#include "polyform/contract/contract_table.inc"
};

constexpr std::size_t found_initializers[] = {
    0,
#define POLYFORM_FROZEN(id, type, size) initializers<type>(),
#define POLYFORM_STRUCTURE(id, type, size) initializers<type>(),
#include "polyform/contract/contract_table.inc"
};

constexpr bool members_are_recorded() {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Structure::count); ++i)
    if (recorded_initializers[i] != found_initializers[i]) return false;
  return true;
}

// Compilers agree on how these are handed over only if their copies are trivial.
static_assert(std::is_trivially_copyable_v<Strided<Vec3>> && std::is_trivially_copyable_v<Strided<const Vec3>>);
static_assert(sizes_are_recorded(), "a structure of the contract has another size than contract_table.inc records");
static_assert(offsets_are_recorded(), "a member of the contract lies elsewhere than contract_table.inc records");
static_assert(members_come_last(),
              "contract_table.inc: members come in order, new ones last, and none newer than the SDK");
static_assert(members_are_recorded(),
              "a structure of the contract has members that contract_table.inc does not record");

#define POLYFORM_STRUCTURE(id, type, size) \
  static_assert(begins_with_size<type>(), #type " begins with its Size or has no member `size`");
#define POLYFORM_MEMBER(id, type, member, offset, minor)          \
  static_assert((minor) == 0 || is_later<decltype(type::member)>, \
                #type "::" #member " came later, so it is a Later<M>");
#include "polyform/contract/contract_table.inc"

}  // namespace
}  // namespace polyform
