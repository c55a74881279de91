// How the contract grows: members are added at the end of a structure, and its reader asks how far it reaches.
//
// A structure that is handed over by itself begins with its Size: the number of bytes that its maker knows. An array of
// structures is handed over as Strided: pointer, count and the size of one structure for its maker. So a structure may
// get further members in a later minor version of the SDK, while plugins of both versions meet in one host. A member
// that came after 1.0 is Later<M>; it is read by get() and written by set(), which look first whether it is there.
#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>

namespace polyform {

/// The first member of a structure T that is handed over by itself. A copy has the size of T where the copy is made.
template <class T>
class Size {
 public:
  constexpr Size() noexcept : bytes_(sizeof(T)) {}
  constexpr Size(const Size&) noexcept : Size() {}
  constexpr Size& operator=(const Size&) noexcept { return *this; }
  /// The size for the structure's maker.
  constexpr std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
};

/// A member that came after 1.0. Its maker gives it where the structure is made; others use get() and set(). Do not
/// assign a structure with such a member as a whole, for the target may end before it: assign its members.
template <class M>
class Later {
 public:
  constexpr Later() noexcept = default;
  constexpr Later(const M& value) noexcept : value_(value) {}
  constexpr Later(const Later&) noexcept = default;
  Later& operator=(const Later&) = delete;

 private:
  template <class>
  friend struct LaterValue;
  M value_{};
};
template <class L>
struct LaterValue;
template <class M>
struct LaterValue<Later<M>> {
  using Type = M;
  static constexpr const M& of(const Later<M>& member) { return member.value_; }
  static constexpr M& of(Later<M>& member) { return member.value_; }
};

namespace detail {
template <class T, class M>
bool reaches(const T& structure, M T::*member, std::size_t bytes) noexcept {
  const auto* const begin = reinterpret_cast<const char*>(std::addressof(structure));
  const auto* const at = reinterpret_cast<const char*>(std::addressof(structure.*member));
  return static_cast<std::size_t>(at - begin) + sizeof(M) <= bytes;
}
}  // namespace detail

/// An array of structures whose maker may know more or fewer of their members than the reader.
template <class T>
class Strided {
  using Bytes = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;

 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  class iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    constexpr iterator() noexcept = default;
    constexpr iterator(T* at, std::size_t stride) noexcept : at_(at), stride_(stride) {}
    constexpr reference operator*() const noexcept { return *at_; }
    constexpr pointer operator->() const noexcept { return at_; }
    constexpr reference operator[](difference_type n) const noexcept { return *(*this + n); }
    constexpr iterator& operator+=(difference_type n) noexcept {
      at_ = moved(at_, n, stride_);
      return *this;
    }
    constexpr iterator& operator-=(difference_type n) noexcept { return *this += -n; }
    constexpr iterator& operator++() noexcept { return *this += 1; }
    constexpr iterator& operator--() noexcept { return *this += -1; }
    constexpr iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    constexpr iterator operator--(int) noexcept {
      const iterator before = *this;
      --*this;
      return before;
    }
    friend constexpr iterator operator+(iterator i, difference_type n) noexcept { return i += n; }
    friend constexpr iterator operator+(difference_type n, iterator i) noexcept { return i += n; }
    friend constexpr iterator operator-(iterator i, difference_type n) noexcept { return i -= n; }
    friend constexpr difference_type operator-(const iterator& a, const iterator& b) noexcept {
      if (std::is_constant_evaluated()) return a.at_ - b.at_;
      return a.stride_ == 0 ? 0
                            : (reinterpret_cast<const char*>(a.at_) - reinterpret_cast<const char*>(b.at_)) /
                                  static_cast<difference_type>(a.stride_);
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }
    friend constexpr auto operator<=>(const iterator& a, const iterator& b) noexcept { return a.at_ <=> b.at_; }

   private:
    T* at_ = nullptr;
    std::size_t stride_ = sizeof(T);
  };

  constexpr Strided() noexcept = default;
  /// stride: the distance of two structures, bytes.
  constexpr Strided(T* first, std::size_t count, std::size_t stride = sizeof(T)) noexcept
      : first_(first), count_(count), stride_(stride) {}
  /// All of a container or array of T.
  template <class Range>
  requires(
      std::ranges::contiguous_range<Range>&& std::ranges::sized_range<Range> &&
      (std::ranges::borrowed_range<Range> ||
       std::is_const_v<T>)&&std::is_convertible_v<std::remove_reference_t<std::ranges::range_reference_t<Range>> (*)[],
                                                  T (*)[]>) constexpr Strided(Range&& range) noexcept
      : Strided(std::ranges::data(range), std::ranges::size(range)) {}
  /// From structures that may be written. It is a template, so that the copy stays trivial for every compiler: on that
  /// depends how a Strided is passed.
  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>) constexpr Strided(const Strided<U>& other) noexcept
      : first_(other.first_), count_(other.count_), stride_(other.stride_) {}

  constexpr std::size_t size() const noexcept { return count_; }
  constexpr bool empty() const noexcept { return count_ == 0; }
  /// The size of one structure for its maker, bytes.
  constexpr std::size_t stride() const noexcept { return stride_; }
  constexpr T& operator[](std::size_t i) const noexcept { return *pointer_to(i); }
  constexpr T& front() const noexcept { return *first_; }
  constexpr T& back() const noexcept { return (*this)[count_ - 1]; }
  constexpr iterator begin() const noexcept { return {first_, stride_}; }
  constexpr iterator end() const noexcept { return {pointer_to(count_), stride_}; }
  constexpr std::reverse_iterator<iterator> rbegin() const noexcept { return std::reverse_iterator(end()); }
  constexpr std::reverse_iterator<iterator> rend() const noexcept { return std::reverse_iterator(begin()); }
  constexpr Strided first(std::size_t count) const noexcept { return {first_, count, stride_}; }
  constexpr Strided last(std::size_t count) const noexcept { return {pointer_to(count_ - count), count, stride_}; }
  constexpr Strided subspan(std::size_t offset) const noexcept { return last(count_ - offset); }
  constexpr Strided subspan(std::size_t offset, std::size_t count) const noexcept {
    return {pointer_to(offset), count, stride_};
  }

  /// Whether the structures have this member.
  template <class M>
  bool has(M value_type::*member) const noexcept {
    return count_ != 0 && detail::reaches(*first_, member, stride_);
  }
  /// The member of structure i, or its default if the structure lacks it.
  template <class L>
  auto get(std::size_t i, L value_type::*member) const noexcept -> typename LaterValue<L>::Type {
    return LaterValue<L>::of(has(member) ? (*this)[i].*member : value_type{}.*member);
  }
  /// Writes the member of structure i, if the structure has it.
  template <class L>
  void set(std::size_t i, L value_type::*member, const typename LaterValue<L>::Type& value) const noexcept
      requires(!std::is_const_v<T>) {
    if (has(member)) LaterValue<L>::of((*this)[i].*member) = value;
  }

 private:
  template <class>
  friend class Strided;

  /// Good for one place past the end, too, and for an empty array.
  constexpr T* pointer_to(std::size_t i) const noexcept {
    return moved(first_, static_cast<std::ptrdiff_t>(i), stride_);
  }
  static constexpr T* moved(T* from, std::ptrdiff_t n, std::size_t stride) noexcept {
    if (std::is_constant_evaluated()) return from + n;
    return reinterpret_cast<T*>(reinterpret_cast<Bytes*>(from) + n * static_cast<std::ptrdiff_t>(stride));
  }

  T* first_ = nullptr;
  std::size_t count_ = 0;
  std::size_t stride_ = sizeof(T);
};
template <class Range>
Strided(Range&&) -> Strided<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

/// Whether a structure that begins with its Size has this member.
template <class T, class M>
bool has(const T& structure, M T::*member) noexcept {
  return detail::reaches(structure, member, structure.size.bytes());
}
/// The member, or its default if the structure lacks it.
template <class T, class L>
auto get(const T& structure, L T::*member) noexcept -> typename LaterValue<L>::Type {
  return has(structure, member) ? LaterValue<L>::of(structure.*member) : LaterValue<L>::of(T{}.*member);
}
/// Writes the member, if the structure has it.
template <class T, class L>
void set(T& structure, L T::*member, const typename LaterValue<L>::Type& value) noexcept {
  if (has(structure, member)) LaterValue<L>::of(structure.*member) = value;
}
/// A copy with all members that are known here: those of the structure, and defaults for those that it lacks. For code
/// that keeps a structure beyond the call that hands it over.
template <class T>
T complete(const T& structure) noexcept {
  T whole;
  const std::size_t known = structure.size.bytes() < sizeof(T) ? structure.size.bytes() : sizeof(T);
  std::memcpy(reinterpret_cast<char*>(&whole) + sizeof(Size<T>),
              reinterpret_cast<const char*>(&structure) + sizeof(Size<T>), known - sizeof(Size<T>));
  return whole;
}

/// Asks an object for the interface I; nullptr if it has none. Every base class of the contract has `query`; an
/// interface gives its name and version in I::interface_name.
template <class I, class Base>
auto ask(Base& base) noexcept {
  using Given = std::remove_pointer_t<decltype(base.query(I::interface_name))>;
  return static_cast<std::conditional_t<std::is_const_v<Given>, const I, I>*>(base.query(I::interface_name));
}

}  // namespace polyform

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<polyform::Strided<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<polyform::Strided<T>> = true;
