// The processes of one study that mpirun started on one machine or many.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace polyform::apps {

/// What the ranks of a study need of a message-passing library. apps/mpi implements it with MPI, in a library of its
/// own that is loaded only under mpirun, so that the program itself does without.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// Sends a message of any bytes to a rank.
  virtual void send(int rank, std::string_view message) = 0;
  struct Message {
    int from;
    std::string bytes;
  };
  /// The next message of any rank; nothing if none has come yet.
  virtual std::optional<Message> receive() = 0;
  /// Some rank is gone: the end of this process does not wait for others. Rank 0's ends those that are left.
  virtual void end_alone() noexcept = 0;
};

/// The ranks; nullptr if the process was started alone. Failure (bad_input) if this build has no MPI.
std::unique_ptr<Ranks> join_ranks();

}  // namespace polyform::apps
