// A library in the place of a graphics driver, for machines without one. The memory of its device is memory of the
// host, and code is run by the processor: for PTX that Polyform keeps, the source beside it is compiled and loaded.
// What is given to a stream is done as late as a driver may do it, when it is waited for. Memory is counted, and copies
// beyond it are errors.
//
// The environment tells it what to do:
//   STAND_IN_DEVICES   how many devices there are [1]
//   STAND_IN_MEMORY    bytes of a device [1e9]
//   STAND_IN_FAIL      FUNCTION ERROR N: that function fails with the error from its N-th call on; `kernel` for the
//                      code itself. An error from 700 on loses the device: all that comes later fails with it.
//   STAND_IN_LOG       a file to which the names of the calls are added
//   STAND_IN_INCLUDE   where the headers of the SDK stand
//   STAND_IN_GENERAL   the general code of devices, compiled for the processor
#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "polyform/solvers/device_worlds.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int ok = 0, invalid_value = 1, out_of_memory = 2, invalid_image = 200, not_found = 500;

std::string setting(const char* name, const char* otherwise = "") {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

struct Stream {
  std::deque<std::function<int()>> work;
};

/// All that there is of the device, in one process.
class Device {
 public:
  /// What a call of that name returns before it does anything.
  int call(const std::string& name) {
    if (const std::string log = setting("STAND_IN_LOG"); !log.empty())
      std::ofstream(log, std::ios::app) << name << '\n';
    std::istringstream wish(setting("STAND_IN_FAIL"));
    std::string function;
    int error = 0, from = 0;
    const int count = ++calls_[name];
    if (lost_ != 0) return lost_;
    if (!(wish >> function >> error >> from) || function != name || count < from) return ok;
    if (error >= 700) lost_ = error;
    return error;
  }

  std::uint64_t all() const { return std::strtoull(setting("STAND_IN_MEMORY", "1000000000").c_str(), nullptr, 10); }
  std::uint64_t free() const { return used_ < all() ? all() - used_ : 0; }
  int allocate(unsigned long long* out, std::size_t bytes) {
    if (bytes > free()) return out_of_memory;
    void* const memory = std::malloc(bytes);
    *out = reinterpret_cast<std::uintptr_t>(memory);
    blocks_[*out] = bytes;
    used_ += bytes;
    return ok;
  }
  int release(unsigned long long address) {
    const auto block = blocks_.find(address);
    if (block == blocks_.end()) return invalid_value;
    used_ -= block->second;
    std::free(reinterpret_cast<void*>(address));
    blocks_.erase(block);
    return ok;
  }
  bool has(unsigned long long address, std::size_t bytes) const {
    auto block = blocks_.upper_bound(address);
    if (block == blocks_.begin()) return false;
    --block;
    return address + bytes <= block->first + block->second;
  }

 private:
  std::map<std::string, int> calls_;
  std::map<unsigned long long, std::size_t> blocks_;
  std::uint64_t used_ = 0;
  int lost_ = 0;
};

Device& device() {
  static Device one;
  return one;
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The source of the code, compiled for the processor; empty where nothing is kept that has this code.
fs::path library_of(const std::string& code) {
  if (code.find(".entry polyform_rk4_512(") != std::string::npos) return setting("STAND_IN_GENERAL");
  std::error_code none;
  for (const auto& folder : fs::directory_iterator(setting("XDG_CACHE_HOME") + "/polyform/compiled", none))
    for (const auto& file : fs::directory_iterator(folder.path(), none)) {
      if (file.path().extension() != ".ptx" || content(file.path()) != code) continue;
      const fs::path library = folder.path() / "stand-in.so";
      if (fs::exists(library)) return library;
      const std::string mine = library.string() + "." + std::to_string(::getpid());
      const std::string command = "c++ -std=c++20 -O1 -shared -fPIC -w -DPOLYFORM_DEVICE -I '" +
                                  setting("STAND_IN_INCLUDE") + "' '" +
                                  fs::path(file.path()).replace_extension(".cpp").string() + "' -o '" + mine + "'";
      if (std::system(command.c_str()) != 0) return {};
      fs::rename(mine, library);
      return library;
    }
  return {};
}

int run(Stream* stream) {
  int result = ok;
  while (!stream->work.empty()) {
    const int here = stream->work.front()();
    stream->work.pop_front();
    if (result == ok) result = here;
  }
  return result;
}

}  // namespace

#define STAND_IN(name) extern "C" __attribute__((visibility("default"))) int name
#define CALLED \
  if (const int refused = device().call(__func__); refused != ok) return refused

STAND_IN(cuInit)(unsigned) {
  CALLED;
  return ok;
}
STAND_IN(cuGetErrorString)(int error, const char** text) {
  static std::map<int, std::string> texts;
  texts[error] = error == out_of_memory ? "out of memory" : "stand-in error " + std::to_string(error);
  *text = texts[error].c_str();
  return ok;
}
STAND_IN(cuDeviceGetCount)(int* count) {
  CALLED;
  *count = std::atoi(setting("STAND_IN_DEVICES", "1").c_str());
  return ok;
}
STAND_IN(cuDeviceGet)(int* ordinal, int number) {
  CALLED;
  *ordinal = number;
  return ok;
}
STAND_IN(cuDeviceGetName)(char* name, int length, int) {
  CALLED;
  std::snprintf(name, static_cast<std::size_t>(length), "Stand-in");
  return ok;
}
STAND_IN(cuDeviceTotalMem_v2)(std::size_t* bytes, int) {
  CALLED;
  *bytes = device().all();
  return ok;
}
STAND_IN(cuDeviceGetAttribute)(int* value, int attribute, int ordinal) {
  CALLED;
  // The second device is an old one.
  *value = attribute != 75 ? 1 : ordinal == 1 ? 6 : 8;
  return ok;
}
STAND_IN(cuCtxCreate_v2)(void** context, unsigned, int) {
  CALLED;
  *context = new int(0);
  return ok;
}
STAND_IN(cuCtxDestroy_v2)(void* context) {
  CALLED;
  delete static_cast<int*>(context);
  return ok;
}
STAND_IN(cuCtxSetCurrent)(void*) {
  CALLED;
  return ok;
}
STAND_IN(cuMemGetInfo_v2)(std::size_t* free, std::size_t* all) {
  CALLED;
  *free = device().free();
  *all = device().all();
  return ok;
}
STAND_IN(cuMemAlloc_v2)(unsigned long long* address, std::size_t bytes) {
  CALLED;
  return device().allocate(address, bytes);
}
STAND_IN(cuMemFree_v2)(unsigned long long address) {
  CALLED;
  return device().release(address);
}
STAND_IN(cuMemAllocHost_v2)(void** memory, std::size_t bytes) {
  CALLED;
  *memory = std::malloc(bytes);
  return ok;
}
STAND_IN(cuMemFreeHost)(void* memory) {
  CALLED;
  std::free(memory);
  return ok;
}
STAND_IN(cuStreamCreate)(Stream** stream, unsigned) {
  CALLED;
  *stream = new Stream;
  return ok;
}
STAND_IN(cuStreamSynchronize)(Stream* stream) {
  CALLED;
  return run(stream);
}
STAND_IN(cuEventCreate)(void** event, unsigned) {
  CALLED;
  *event = new int(0);
  return ok;
}
STAND_IN(cuEventRecord)(void*, Stream*) {
  CALLED;
  return ok;
}
STAND_IN(cuEventElapsedTime)(float* milliseconds, void*, void*) {
  CALLED;
  *milliseconds = 1;
  return ok;
}
STAND_IN(cuMemcpyHtoDAsync_v2)(unsigned long long to, const void* from, std::size_t bytes, Stream* stream) {
  CALLED;
  if (!device().has(to, bytes)) return invalid_value;
  stream->work.emplace_back([=] {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return ok;
  });
  return ok;
}
STAND_IN(cuMemcpyDtoHAsync_v2)(void* to, unsigned long long from, std::size_t bytes, Stream* stream) {
  CALLED;
  if (!device().has(from, bytes)) return invalid_value;
  stream->work.emplace_back([=] {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return ok;
  });
  return ok;
}
STAND_IN(cuModuleLoadDataEx)(void** module, const void* image, unsigned count, int* options, void** values) {
  CALLED;
  const fs::path library = library_of(static_cast<const char*>(image));
  *module = library.empty() ? nullptr : ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (unsigned i = 0; i < count && *module == nullptr; ++i)
    if (options[i] == 5) std::snprintf(static_cast<char*>(values[i]), 100, "nothing is kept that has this code");
  return *module == nullptr ? invalid_image : ok;
}
STAND_IN(cuModuleGetFunction)(void** function, void* module, const char* name) {
  CALLED;
  *function = ::dlsym(module, name);
  return *function == nullptr ? not_found : ok;
}
STAND_IN(cuLaunchKernel)
(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned, Stream* stream,
 void**, void** extra) {
  CALLED;
  const auto bytes = *static_cast<const std::size_t*>(extra[3]);
  polyform::DeviceWorlds worlds{};
  if (bytes != sizeof worlds) return invalid_value;
  std::memcpy(&worlds, extra[1], bytes);
  if (std::uint64_t{blocks} * threads < worlds.worlds) return invalid_value;
  stream->work.emplace_back([=] {
    if (const int refused = device().call("kernel"); refused != ok) return refused;
    reinterpret_cast<void (*)(polyform::DeviceWorlds)>(function)(worlds);
    return ok;
  });
  return ok;
}
