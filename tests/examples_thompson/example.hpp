// The shipped models as text, to be changed in places.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

inline std::string model_text(const std::string& name) {
  std::ifstream file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
  REQUIRE(file.good());
  return (std::ostringstream() << file.rdbuf()).str();
}
/// Every place of a piece of text changed; there must be one.
inline std::string with(std::string text, const std::string& piece, const std::string& instead) {
  std::size_t found = text.find(piece);
  REQUIRE(found != std::string::npos);
  for (; found != std::string::npos; found = text.find(piece, found + instead.size()))
    text.replace(found, piece.size(), instead);
  return text;
}

inline const JointData& joint_named(const SystemView& view, std::string_view name) {
  for (const JointData& joint : view.joints)
    if (joint.name == name) return joint;
  throw std::invalid_argument("no joint " + std::string(name));
}
inline std::size_t body_named(const SystemView& view, std::string_view name) {
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (view.bodies[i].name == name) return i;
  throw std::invalid_argument("no body " + std::string(name));
}

}  // namespace polyform::test
