// Compares the rows of a run with a reference as they come.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/simulation/row_sink.hpp"
#include "framework/workbench/verification/reference.hpp"

namespace polyform::host::inline verification {

/// The errors of a run.
struct ReferenceErrors {
  std::map<std::string, double> largest;  ///< by group: position, orientation, velocity, …, linear, angular, joint
  double ratio = 0;                       ///< of error to tolerance, where that is largest
  double error = 0, time = 0;             ///< there
  std::string channel;                    ///< there: a channel, or a body or joint and its acceleration
  std::size_t rows = 0;                   ///< compared
};
std::string to_text(const ReferenceErrors&);
/// What to_text made.
ReferenceErrors errors_from_text(const std::string&);

class ReferenceSink final : public RowSink {
 public:
  /// reactions: whether those of the run are compared; if not, channels of forces and moments are not compared. Failure
  /// (bad_input) if the reference names a channel, body or joint that the system lacks, or gives a wrong number of
  /// accelerations.
  ReferenceSink(const System&, const Reference&, bool reactions);

  void work(double work) override { work_ = work; }
  void row(double time, const Observation&) override;
  const ReferenceErrors& errors() const { return errors_; }

 private:
  void check_start() const;
  /// q and -q are the same attitude: which of the two the reference has in the row at hand.
  void settle_signs(std::span<const double> row);
  void compare_start(const Observation&);
  void note(const std::string& group, double error, double tolerance, double time, const std::string& where);

  const System& system_;
  const Reference& reference_;
  RowMaker rows_;
  std::vector<const ReferenceChannel*> compared_;
  std::vector<std::size_t> columns_;                          ///< of them
  std::vector<std::string> groups_;                           ///< of them
  std::vector<std::size_t> attitudes_;                        ///< of them: whose quaternion it is part of, or none
  std::unordered_map<std::string, std::size_t> attitude_of_;  ///< by body or joint
  std::vector<double> signs_;                                 ///< by attitude: of the product with the reference
  std::size_t next_ = 0;                                      ///< time of the reference
  bool started_ = false;
  double work_ = 0;
  ReferenceErrors errors_;
};

}  // namespace polyform::host::verification
