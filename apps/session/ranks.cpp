#include "apps/session/ranks.hpp"

#include <cstdlib>

#include "apps/session/private_library.hpp"

namespace polyform::apps {
namespace {

/// Whether a launcher of MPI started this process as one of several.
bool among_ranks() {
  // Open MPI; MPICH, Intel MPI and Slurm's launcher.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const size = std::getenv(name); size != nullptr && std::atoi(size) > 1) return true;
  return false;
}

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  if (!among_ranks()) return nullptr;
  using Join = Ranks* (*)();
  const auto join = reinterpret_cast<Join>(private_function(
      "polyform_mpi.so", "polyform_join_ranks", "polyform was started by mpirun, but its part for MPI cannot be used",
      "Build polyform where MPI is installed (Debian: libopenmpi-dev), or use --shard I/N."));
  return std::unique_ptr<Ranks>(join());
}

}  // namespace polyform::apps
