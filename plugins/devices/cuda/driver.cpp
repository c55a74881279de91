#include "driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace polyform::cuda {

namespace {

constexpr const char* library_name = "libcuda.so.1";

/// Loads the library and initializes it. It stays loaded: drivers do not bear to be unloaded.
class Loaded {
 public:
  Loaded() {
    library_ = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      const char* const text = ::dlerror();
      why_ = fmt::format("the driver cannot be opened ({})", text != nullptr ? text : library_name);
      return;
    }
    find("cuInit", driver_.init);
    find("cuGetErrorString", driver_.error_text);
    find("cuDeviceGetCount", driver_.count);
    find("cuDeviceGet", driver_.ordinal);
    find("cuDeviceGetName", driver_.name);
    find("cuDeviceTotalMem_v2", driver_.all_memory);
    find("cuDeviceGetAttribute", driver_.attribute);
    find("cuCtxCreate_v2", driver_.create_context);
    find("cuCtxDestroy_v2", driver_.destroy_context);
    find("cuCtxSetCurrent", driver_.set_context);
    find("cuMemGetInfo_v2", driver_.memory);
    find("cuMemAlloc_v2", driver_.allocate);
    find("cuMemFree_v2", driver_.free);
    find("cuMemAllocHost_v2", driver_.allocate_host);
    find("cuMemFreeHost", driver_.free_host);
    find("cuMemcpyHtoDAsync_v2", driver_.copy_in);
    find("cuMemcpyDtoHAsync_v2", driver_.copy_out);
    find("cuModuleLoadDataEx", driver_.load);
    find("cuModuleGetFunction", driver_.function);
    find("cuLaunchKernel", driver_.launch);
    find("cuStreamCreate", driver_.create_stream);
    find("cuStreamSynchronize", driver_.synchronize);
    find("cuEventCreate", driver_.create_event);
    find("cuEventRecord", driver_.record);
    find("cuEventElapsedTime", driver_.elapsed);
    if (!why_.empty()) return;
    if (const Result result = driver_.init(0); result != result::success)
      why_ = fmt::format("the driver does not start: {}", driver_.text(result));
  }
  const Driver* get(std::string& why) const {
    why = why_;
    return why_.empty() ? &driver_ : nullptr;
  }

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr && why_.empty()) why_ = fmt::format("the driver is too old: it has no {}", name);
  }

  void* library_ = nullptr;
  Driver driver_;
  std::string why_;
};

}  // namespace

std::string Driver::text(Result result) const {
  const char* said = nullptr;
  if (error_text(result, &said) != result::success || said == nullptr) said = "the driver does not know the error";
  return fmt::format("{} (error {})", said, result);
}

const Driver* driver(std::string& why) {
  static const Loaded loaded;
  return loaded.get(why);
}

}  // namespace polyform::cuda
