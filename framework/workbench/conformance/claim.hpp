// What the conformance battery says of a plugin: one claim after the other, each passed, failed or unsupported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polyform::host::inline conformance {

enum class Verdict {
  passed,
  failed,
  unsupported  ///< could not be decided, or does not apply: the finding says why
};

/// "passed", "failed", "unsupported".
std::string_view name_of(Verdict) noexcept;

struct Claim {
  std::string kind, type;  ///< of the type under test: "joint", "helical"
  std::string name;        ///< what is claimed: "the bias is the rate of H"
  Verdict verdict = Verdict::passed;
  double measured = 0, tolerance = 0;  ///< the largest error seen, and what is allowed
  std::string finding;                 ///< what failed and where, why nothing was decided, or a remark
  std::string remedy;                  ///< of a failed claim: the likely cause and what to do
  std::string model;                   ///< of a failed claim: text of the model in which it shows; may be empty
};

/// Takes the claims as they are decided. `begin` tells which one is next, so that it is known which one a crash ends;
/// false: this one is known already and not wanted.
class ClaimSink {
 public:
  virtual ~ClaimSink() = default;
  virtual bool begin(std::string_view name) = 0;
  /// Tells the model in which the check goes on now, in case that it never comes back.
  virtual void in_model(const std::string& text) = 0;
  virtual void add(const Claim&) = 0;
};

}  // namespace polyform::host::conformance
