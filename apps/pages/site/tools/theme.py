"""Makes the theme work from the disk and for all readers. The package of Debian leaves its script a module, which browsers
do not load from files, and its style sheet asks a server for another one. Its pages leave some parts without a name."""

import os
import re

NORMALIZE = "/usr/share/javascript/normalize.css/normalize.css"


# In each page: what is there, and what stands in its place.
FOR_ALL_READERS = (
    ('<input type="checkbox" class="sidebar-toggle" name="__navigation"',
     '<a class="skip" href="#the-text">Skip to the text</a>\n'
     '<input type="checkbox" class="sidebar-toggle" name="__navigation"'),
    ('<article role="main">', '<article role="main" id="the-text" tabindex="-1">'),
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="Site">'),
    ('<aside class="toc-drawer">', '<aside class="toc-drawer" aria-label="This page">'),
    ('<label class="overlay ', '<label aria-hidden="true" class="overlay '),  # what a click beside an open list hits
    ('<div class="content-icon-container">', '<div class="content-icon-container" role="region" aria-label="View">'),
    ('<th class="head"><p></p></th>', "<td></td>"),  # the corner of a matrix
    ('<div id="search-results">', '<h1>Search</h1>\n<div id="search-results">'),
)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def mend_theme(pages):
    """Changes the copies of the theme's files in a built site; those of another packaging stay as they are."""
    script = os.path.join(pages, "_static", "scripts", "furo.js")
    helper = os.path.join(pages, "_static", "scripts", "gumshoe-patched.js")
    text = read(script)
    if text.startswith("import ") and os.path.exists(helper):
        body = re.sub(r"^import [^\n]*\n", "", text)
        body = re.sub(r"\n *console\.log\([^\n]*\);", "", body)  # each change of colours was told to the console
        write(script, f"{read(helper)}\n(() => {{\n{body}\n}})();\n")
    style = os.path.join(pages, "_static", "styles", "furo.css")
    base = read(NORMALIZE) if os.path.exists(NORMALIZE) else ""
    write(style, re.sub(r"@import url\(/javascript/[^)]*\);", lambda _: base, read(style)))


def mend_pages(pages):
    """Gives names to parts of all pages."""
    for folder, _, names in os.walk(pages):
        for path in (os.path.join(folder, name) for name in names if name.endswith(".html")):
            text = read(path)
            for found, put in FOR_ALL_READERS:
                text = text.replace(found, put)
            write(path, text)
