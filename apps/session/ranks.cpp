#include "apps/session/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "framework/diagnostics.hpp"
#include "framework/host/registry/search_path.hpp"

namespace polyform::apps {

bool among_ranks() {
  // Open MPI; MPICH, Intel MPI and Slurm's launcher.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const size = std::getenv(name); size != nullptr && std::atoi(size) > 1) return true;
  return false;
}

std::unique_ptr<Ranks> join_ranks() {
  if (!among_ranks()) return nullptr;
  const std::filesystem::path library = host::installed_plugin_folder().parent_path() / "polyform_mpi.so";
  constexpr const char* remedy = "Build polyform where MPI is installed (Debian: libopenmpi-dev), or use --shard I/N.";
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr)
    throw host::Failure(host::Exit::bad_input,
                        fmt::format("polyform was started by mpirun, but its part for MPI is missing: {}", ::dlerror()),
                        remedy);
  using Join = Ranks* (*)();
  const auto join = reinterpret_cast<Join>(::dlsym(handle, "polyform_join_ranks"));
  if (join == nullptr)
    throw host::Failure(host::Exit::bad_input, fmt::format("{} is not of this polyform", library.string()), remedy);
  return std::unique_ptr<Ranks>(join());
}

}  // namespace polyform::apps
