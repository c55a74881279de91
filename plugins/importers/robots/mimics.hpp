// Joints that follow others: where they begin.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mechanism.hpp"

namespace polyform::importers {

/// Joints by name in the model.
class Mimics {
 public:
  /// The coordinate of a joint is a polynomial in that of another one: coefficients from the constant one on.
  void add(const std::string& joint, const std::string& other, std::vector<double> coefficients) {
    rules_[joint] = {other, std::move(coefficients)};
  }
  bool follows(const std::string& joint) const { return rules_.contains(joint); }
  /// Lets each joint that follows another begin where that one puts it.
  void set_starts(Mechanism&) const;

 private:
  struct Rule {
    std::string other;
    std::vector<double> coefficients;
  };
  std::map<std::string, Rule> rules_;
};

}  // namespace polyform::importers
