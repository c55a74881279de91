// What a force looks like in a picture of the mechanism.
#pragma once

#include <cstdint>
#include <string_view>

namespace polyform {

/// ForceType::query gives it for a type that pictures draw in its own shape. Any other force at two points is drawn as
/// a thin line between them.
class Picture {
 public:
  static constexpr std::string_view interface_name = "polyform.picture.1";
  enum class Kind : std::int32_t {
    coil,   ///< a spring between its two markers, or in its joint; drawn as a line where its field `stiffness` is zero
    line,   ///< a rope through all its markers
    wheel,  ///< a tyre about its first marker
    torsion,  ///< a spring between the orientations of the bodies of its two markers
    stop      ///< ends of the way of its joint, at the coordinates in its fields `lower` and `upper`
  };
  virtual Kind kind() const noexcept = 0;
  /// For a wheel, the names of the field of type direction with the axis that it spins about, in the axes of its body,
  /// and of the field with its radius; "" for other kinds.
  virtual std::string_view axis_field() const noexcept = 0;
  virtual std::string_view radius_field() const noexcept = 0;

 protected:
  ~Picture() = default;
};

}  // namespace polyform
