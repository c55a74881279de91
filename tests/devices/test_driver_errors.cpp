// Each function of the driver fails once: what is told, and that the study goes on in lanes with the same results. What
// only gives something back, or tells the time, may fail without a word.
#include <catch2/catch.hpp>
#include <string>

#include "tests/devices/device_study.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

TEST_CASE("a driver that fails while devices are looked for is a reason, and the study goes on in lanes") {
  struct Trouble {
    const char *fail, *says;
  };
  const Trouble trouble = GENERATE(
      Trouble{"cuInit 3 1", "the driver does not start: stand-in error 3"},
      Trouble{"cuDeviceGetCount 999 1", "stand-in error 999"}, Trouble{"cuDeviceGet 101 1", "stand-in error 101"},
      Trouble{"cuDeviceTotalMem_v2 201 1", "stand-in error 201"},
      Trouble{"cuDeviceGetAttribute 1 1", "stand-in error 1"}, Trouble{"cuDeviceGetAttribute 1 2", "stand-in error 1"});
  INFO(trouble.fail);
  const Workshop shop;
  const StandIn driver;
  const StudyResult lanes = study_of_bars(shop, "none", "rk4", bars(1, 0.8));
  const DeviceSetting fail("STAND_IN_FAIL", trouble.fail);
  const StudyResult result = study_of_bars(shop, "auto", "rk4", bars(1, 0.8));
  CHECK(result.rows == lanes.rows);
  CHECK(result.told["device"]["name"].is_null());
  CHECK_THAT(result.told["device"]["reason"].get<std::string>(), Contains(trouble.says));
}

TEST_CASE("a driver that fails in what it gives back, names or times does no harm") {
  if (!GENERAL_CODE_IS_MADE) return;
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting no_clang("POLYFORM_DEVICE_CXX", "no-compiler-of-this-name");
  const StudyResult whole = study_of_bars(shop, "cuda", "rk4", bars(1, 0.8));
  const std::string fail = GENERATE(as<std::string>(), "cuMemFree_v2 1 1", "cuMemFreeHost 1 1", "cuCtxDestroy_v2 4 1",
                                    "cuEventElapsedTime 600 1", "cuDeviceGetName 1 1");
  INFO(fail);
  const DeviceSetting failing("STAND_IN_FAIL", fail);
  const StudyResult result = study_of_bars(shop, "cuda", "rk4", bars(1, 0.8));
  CHECK(result.rows == whole.rows);
  CHECK(result.told["device"]["code"] == "general");
  CHECK(result.told["device"]["name"] == (fail.starts_with("cuDeviceGetName") ? "a device" : "Stand-in"));
}

TEST_CASE("the general code fails as that of a model does, and its cases are done in lanes") {
  if (!GENERAL_CODE_IS_MADE) return;
  struct Trouble {
    const char *fail, *says;
  };
  // Of the memory the tables are the first; of what is copied in, too.
  const Trouble trouble = GENERATE(Trouble{"cuMemAlloc_v2 2 1", "has no memory to spare: out of memory (error 2)"},
                                   Trouble{"cuMemcpyHtoDAsync_v2 1 1", "cannot be copied to"},
                                   Trouble{"cuStreamSynchronize 700 1", "did not come to the end of its work"},
                                   Trouble{"cuEventRecord 400 1", "cannot run the code: stand-in error 400"},
                                   Trouble{"cuEventRecord 400 2", "cannot run the code: stand-in error 400"},
                                   Trouble{"cuModuleLoadDataEx 218 1", "refuses the code: stand-in error 218"},
                                   Trouble{"cuLaunchKernel 701 1", "cannot run the code"},
                                   Trouble{"kernel 719 1", "did not come to the end of its work: stand-in error 719"});
  INFO(trouble.fail);
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting no_clang("POLYFORM_DEVICE_CXX", "no-compiler-of-this-name");
  const StudyResult lanes = study_of_bars(shop, "none", "rk4", sprung_bars());
  const DeviceSetting fail("STAND_IN_FAIL", trouble.fail);
  const StudyResult result = study_of_bars(shop, "auto", "rk4", sprung_bars());
  check_same(result, lanes);
  CHECK(count_reasons(result, trouble.says) == result.rows.size());
}

TEST_CASE("a driver that lacks a function is told as too old") {
  const Workshop shop;
  const StandIn driver;
  const DeviceSetting old("LD_LIBRARY_PATH", OLD_DRIVER_FOLDER);
  const StudyResult result = study_of_bars(shop, "auto", "rk4", bars(1, 0.8));
  CHECK_THAT(result.told["device"]["reason"].get<std::string>(), Contains("the driver is too old: it has no cuInit"));
}
