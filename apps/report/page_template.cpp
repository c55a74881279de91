#include "apps/report/page_template.hpp"

#include <string>

#include "framework/diagnostics.hpp"

// The assembler includes the files: literals of this size would take the compiler seconds.
asm(".pushsection .rodata\n"
    "polyform_runs_page_begin:\n"
    ".incbin \"" POLYFORM_RUNS_PAGE
    "\"\n"
    "polyform_runs_page_end:\n"
    "polyform_study_page_begin:\n"
    ".incbin \"" POLYFORM_STUDY_PAGE
    "\"\n"
    "polyform_study_page_end:\n"
    "polyform_view_page_begin:\n"
    ".incbin \"" POLYFORM_VIEW_PAGE
    "\"\n"
    "polyform_view_page_end:\n"
    ".popsection\n");

extern "C" {
extern const char polyform_runs_page_begin[], polyform_runs_page_end[];
extern const char polyform_study_page_begin[], polyform_study_page_end[];
extern const char polyform_view_page_begin[], polyform_view_page_end[];
}

namespace polyform::apps {

namespace {

constexpr std::string_view title_mark = "<!--title-->", data_mark = "<!--data-->";

/// Text as it may stand in HTML.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string_view runs_page() { return {polyform_runs_page_begin, polyform_runs_page_end}; }
std::string_view study_page() { return {polyform_study_page_begin, polyform_study_page_end}; }
std::string_view view_page() { return {polyform_view_page_begin, polyform_view_page_end}; }

std::string page_with(std::string_view page, std::string_view title) {
  std::string out(page);
  const std::size_t at = out.find(title_mark);
  return at == std::string::npos ? out : out.replace(at, title_mark.size(), escaped(title));
}

void write_page(host::OutputFile& file, std::string_view page, std::string_view title,
                const std::function<void()>& write_data) {
  const std::size_t at_title = page.find(title_mark), at_data = page.find(data_mark);
  try {
    file.replace();
    file.write(page.substr(0, at_title));
    file.write(escaped(title));
    file.write(page.substr(at_title + title_mark.size(), at_data - at_title - title_mark.size()));
    write_data();
    file.write(page.substr(at_data + data_mark.size()));
    file.close();
  } catch (const host::Failure&) {
    file.give_up();  // a part of a page shows nothing
    throw;
  }
}

}  // namespace polyform::apps
