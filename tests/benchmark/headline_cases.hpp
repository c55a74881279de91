// What is run in time, for the headline of which paper.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace polyform::benchmark {

struct Variant {
  std::string formulation;
  std::vector<std::pair<std::string, std::string>> options = {};
};

struct HeadlineCase {
  std::string headline, title;
  std::function<std::string()> text;   ///< of the model, which names the integrator, its step and tolerances
  double duration;                     ///< s
  int repetitions;                     ///< of which the fastest counts
  std::vector<Variant> variants = {};  ///< none: every formulation
};
/// Cases of one headline follow each other.
const std::vector<HeadlineCase>& headline_cases();

}  // namespace polyform::benchmark
