#include "framework/registry/terminate_guard.hpp"

#include <cstdio>
#include <cstdlib>

#include "framework/diagnostics.hpp"

namespace polyform::host {

namespace {

const char* guarded_file = "";

[[noreturn]] void name_and_end() {
  std::fprintf(stderr,
               "error: %s let an exception escape while it was loaded, which ends the program\n"
               "  Remove it from the plugin folder until its author has corrected it.\n",
               guarded_file);
  std::_Exit(static_cast<int>(Exit::plugin));
}

}  // namespace

TerminateGuard::TerminateGuard(const std::filesystem::path& file) noexcept {
  guarded_file = file.c_str();
  before_ = std::set_terminate(name_and_end);
}

TerminateGuard::~TerminateGuard() {
  std::set_terminate(before_);
}

}  // namespace polyform::host
