// Parts of polyform that are libraries of their own, since a build may lack what they need.
#pragma once

#include <string>

namespace polyform::apps {

/// The function of that name in a library beside the folder of the plugins, such as formulas.so. The library stays open:
/// its symbols have static parts of their own. Failure (bad_input) that begins with `what`, why it is needed, and ends
/// with the system's reason, where it is not there.
void* private_function(const std::string& library, const char* name, const std::string& what, const char* remedy);

}  // namespace polyform::apps
