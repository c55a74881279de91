// Parts of polyform that are libraries of their own, because a build may lack what they need.
#pragma once

#include <string>

namespace polyform::apps {

/// The function of that name in a library, such as formulas.so, that stands next to the folder of the plugins. The
/// library stays open because its symbols have static parts. If it is not there: Failure (bad_input), whose message
/// begins with `what`, the reason why it is needed, and ends with the system's reason.
void* private_function(const std::string& library, const char* name, const std::string& what, const char* remedy);

}  // namespace polyform::apps
