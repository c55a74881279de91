#include "framework/dense_library.hpp"

#include <dlfcn.h>

namespace polyform::host {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(::dlsym(library, name));
  return out != nullptr;
}

const DenseLibrary* opened() {
  static DenseLibrary functions;
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  void (*use_threads)(int) = nullptr;
  if (!find(library, "openblas_set_num_threads", use_threads) || !find(library, "dgemm_", functions.dgemm) ||
      !find(library, "dgetrf_", functions.dgetrf) || !find(library, "dgetri_", functions.dgetri) ||
      !find(library, "dgetrs_", functions.dgetrs) || !find(library, "dgeevx_", functions.dgeevx))
    return nullptr;
  use_threads(1);
  return &functions;
}

}  // namespace

const DenseLibrary* dense_library() {
  static const DenseLibrary* const found = opened();
  return found;
}

}  // namespace polyform::host
