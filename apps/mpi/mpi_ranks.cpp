// The ranks of a study by MPI.
#include <mpi.h>

#include "apps/session/ranks.hpp"

namespace polyform::apps {

namespace {

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override {
    // All ranks meet in MPI_Finalize, which would wait for one that is gone. Rank 0, which goes last, ends what is
    // left.
    if (!alone_)
      MPI_Finalize();
    else if (rank_ == 0)
      MPI_Abort(MPI_COMM_WORLD, 0);
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }

  void send(int rank, std::string_view message) override {
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, rank, 0, MPI_COMM_WORLD);
  }

  std::optional<Message> receive() override {
    int waits = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &waits, &status);
    if (waits == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  void end_alone() noexcept override { alone_ = true; }

 private:
  int rank_ = 0, size_ = 1;
  bool alone_ = false;
};

}  // namespace

}  // namespace polyform::apps

extern "C" __attribute__((visibility("default"))) polyform::apps::Ranks* polyform_join_ranks() {
  return new polyform::apps::MpiRanks;
}
