// Forces between the surfaces of two bodies.
#pragma once

#include <string_view>

namespace polyform {

/// ForceType::query gives it for a type whose instances act between the shapes of two bodies. A model may then ask for
/// an instance of the type between each two of many bodies (`contacts`), and pictures do not draw it as a spring.
class BodyPairs {
 public:
  static constexpr std::string_view interface_name = "polyform.body_pairs.1";
  /// The names of the two fields of type body.
  virtual std::string_view first_field() const noexcept = 0;
  virtual std::string_view second_field() const noexcept = 0;

 protected:
  ~BodyPairs() = default;
};

}  // namespace polyform
