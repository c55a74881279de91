// Field values of an author's example model, as model text again: valid instances of types the kit has never seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/conformance/random.hpp"
#include "framework/reading/description.hpp"

namespace polyform::host {

class ExampleFields {
 public:
  /// What an instance gives: the text of a field by name; of references to bodies and joints nothing, since they are
  /// made anew in every model.
  using Instance = std::map<std::string, std::string, std::less<>>;

  ExampleFields() = default;
  explicit ExampleFields(const Description&);

  /// One of the type's instances; nullptr when the example has none.
  const Instance* pick(std::string_view type, Random&) const;

 private:
  template <class Type>
  void keep(const Type&, const Fields&);
  std::map<std::string, std::vector<Instance>, std::less<>> instances_;
};

}  // namespace polyform::host
