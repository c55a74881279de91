#include "apps/report/page_template.hpp"

// The assembler includes the file: a literal of this size would take the compiler seconds.
asm(".pushsection .rodata\n"
    "polyform_page_begin:\n"
    ".incbin \"" POLYFORM_PAGE
    "\"\n"
    "polyform_page_end:\n"
    ".popsection\n");

extern "C" {
extern const char polyform_page_begin[], polyform_page_end[];
}

namespace polyform::apps {

std::string_view page_template() { return {polyform_page_begin, polyform_page_end}; }

}  // namespace polyform::apps
