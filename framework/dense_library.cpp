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
  const bool has_all = find(library, "dgemm_", functions.dgemm) && find(library, "dgetrf_", functions.dgetrf) &&
                       find(library, "dgetri_", functions.dgetri) && find(library, "dgeqp3_", functions.dgeqp3) &&
                       find(library, "dorgqr_", functions.dorgqr) && find(library, "dgeevx_", functions.dgeevx) &&
                       find(library, "openblas_get_num_threads", functions.threads) &&
                       find(library, "openblas_set_num_threads", functions.use_threads);
  return has_all ? &functions : nullptr;
}

}  // namespace

const DenseLibrary* dense_library() {
  static const DenseLibrary* const found = opened();
  return found;
}

}  // namespace polyform::host
