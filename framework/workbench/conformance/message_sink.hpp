// Claims as messages from the process that decides them, with a limit on the time of each check.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/host/process/process.hpp"
#include "framework/workbench/conformance/claim.hpp"

namespace polyform::host::inline conformance {

/// Sends what is begun and what is decided. A check that takes too long ends the process, which says so before. One per
/// process.
class MessageSink final : public ClaimSink {
 public:
  /// known: so many claims are not wanted, since an earlier process has decided them. seconds: of one check.
  MessageSink(const Messenger&, std::size_t known, double seconds);
  bool begin(std::string_view name) override;
  void in_model(const std::string& text) override;
  void add(const Claim&) override;

 private:
  const Messenger& to_;
  std::size_t known_;
  double seconds_;
};

/// What a message says: one of the four.
struct BatteryMessage {
  std::optional<std::string> begun{};
  std::optional<std::string> model{};  ///< in which the check goes on
  std::optional<Claim> claim{};
  std::optional<double> late{};  ///< time is over; memory taken since the start, bytes
};
BatteryMessage read_message(std::string_view);

}  // namespace polyform::host::conformance
