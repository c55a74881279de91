// A Picture that needs no more than its kind: any but a wheel.
#pragma once

#include "polyform/contract/picture.hpp"

namespace polyform {

template <Picture::Kind drawn_as>
class PlainPicture : public Picture {
 public:
  static_assert(drawn_as != Picture::Kind::wheel, "a wheel has an axis and a radius");
  Picture::Kind kind() const noexcept final { return drawn_as; }
  std::string_view axis_field() const noexcept final { return {}; }
  std::string_view radius_field() const noexcept final { return {}; }

 protected:
  ~PlainPicture() = default;
};

}  // namespace polyform
