// Field values of an author's example model, as model text again: valid instances of types the kit has never seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/conformance/random.hpp"

namespace polyform::host::inline conformance {

class ExampleFields {
 public:
  /// What an instance gives: the text of a field by name; of references to bodies and joints nothing, since they are
  /// made anew in every model.
  using Instance = std::map<std::string, std::string, std::less<>>;

  ExampleFields() = default;
  /// tested: the type of which the model is an example.
  ExampleFields(const System&, std::string tested);

  /// One of the type's instances; nullptr if the example has none, and in every other case if it is not the tested
  /// type: an example may hold anything else.
  const Instance* pick(std::string_view type, Random&) const;
  /// Points of flexible bodies that something is attached to, body axes, m.
  const std::vector<Vec3>& attachments() const { return attachments_; }

 private:
  template <class Type>
  void keep(const Type&, const Fields&);
  std::string tested_;
  std::map<std::string, std::vector<Instance>, std::less<>> instances_;
  std::vector<Vec3> attachments_;
};

}  // namespace polyform::host::conformance
