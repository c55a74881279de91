// The claim that all formulations describe the same mechanics, for one model.
#pragma once

#include <cstddef>
#include <string>

namespace polyform::test {

/// Requires that all formulations that can run the model agree with the first of them at its initial state in motion,
/// accelerations, reactions and energy. Reactions of redundant joints are not compared: they are not unique. Returns how
/// many formulations were compared.
std::size_t require_agreement(const std::string& model_text);

}  // namespace polyform::test
