// The pages without their data, as they were built from apps/report/page.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "framework/host/results/output_file.hpp"

namespace polyform::apps {

/// The page of runs, that of a study, and that of `view`. Empty if the program was built without them.
std::string_view runs_page();
std::string_view study_page();
std::string_view view_page();

/// A page with its title, as text.
std::string page_with(std::string_view page, std::string_view title);

/// Writes one of them with its title, and what write_data writes to the file where the data belong. Failure
/// (simulation_failed) when writing fails on the way: the file is gone then.
void write_page(host::OutputFile&, std::string_view page, std::string_view title,
                const std::function<void()>& write_data);

}  // namespace polyform::apps
