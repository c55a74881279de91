"""Settings of Sphinx for the documentation site. build.py makes the folder of sources and names it on the command line."""

import os
import shutil

project = "Polyform"
author = "Polyform contributors"
copyright = "Polyform contributors, MIT licence"
version = release = os.environ.get("POLYFORM_VERSION", "")

extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["files/**"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "attrs_image", "fieldlist"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "none"
pygments_style = "xcode"  # all its colours are read on a light ground
pygments_dark_style = "github-dark"

html_theme = "furo"
html_title = f"Polyform {version}".strip()
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["scrolling.js", "keyboard.js"]
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # browsers do not let a page from the disk read others
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5fbf", "color-brand-content": "#1d5fbf"},
    "dark_css_variables": {
        "color-brand-primary": "#74aaff",
        "color-brand-content": "#74aaff",
        "color-problematic": "#ee5151",
        "color-foreground-primary": "#e4e9f0",
        "color-foreground-secondary": "#a3adba",
        "color-foreground-muted": "#8a93a0",
        "color-foreground-border": "#666666",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#1e2124",
        "color-background-hover--transparent": "#1e212400",
        "color-background-border": "#303335",
        "color-background-item": "#444444",
        "color-admonition-background": "#18181a",
        "color-card-border": "#1a1c1e",
        "color-card-background": "#18181a",
        "color-highlighted-background": "#083563",
        "color-highlight-on-target": "#333300",
        "color-link-underline--hover": "#74aaff",
    },
}

# Formulas are set by KaTeX in the browser, from files of the site itself.
KATEX = "/usr/share/javascript/katex"
if os.path.isdir(KATEX):
    html_css_files.append("katex/katex.min.css")
    html_js_files += ["katex/katex.min.js", "formulas.js"]


def copy_katex(app):
    """Copies KaTeX of the system beside the other static files."""
    if os.path.isdir(KATEX) and app.builder.format == "html":
        target = os.path.join(app.outdir, "_static", "katex")
        os.makedirs(target, exist_ok=True)
        for name in ("katex.min.css", "katex.min.js"):
            shutil.copy(os.path.join(KATEX, name), target)
        fonts = os.path.join(target, "fonts")
        os.makedirs(fonts, exist_ok=True)
        for name in os.listdir(os.path.join(KATEX, "fonts")):
            if name.endswith(".woff2"):
                shutil.copy(os.path.join(KATEX, "fonts", name), fonts)


def write_inline(self, node):
    """A formula in a line of text, as TeX between marks that formulas.js looks for."""
    self.body.append(self.starttag(node, "span", "", CLASS="tex"))
    self.body.append(self.encode(node.astext()) + "</span>")
    from docutils.nodes import SkipNode

    raise SkipNode


def write_block(self, node):
    """A formula on lines of its own."""
    self.body.append(self.starttag(node, "div", "", CLASS="tex display"))
    self.body.append(self.encode(node.astext()) + "</div>")
    from docutils.nodes import SkipNode

    raise SkipNode


def setup(app):
    app.add_html_math_renderer("katex", (write_inline, None), (write_block, None))
    app.connect("builder-inited", copy_katex)


html_math_renderer = "katex"
