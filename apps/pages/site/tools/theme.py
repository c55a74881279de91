"""Makes the theme work from the disk. The package of Debian leaves its script a module, which browsers do not load from
files, and its style sheet asks a server for another one."""

import os
import re

NORMALIZE = "/usr/share/javascript/normalize.css/normalize.css"


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
        write(script, f"{read(helper)}\n(() => {{\n{body}\n}})();\n")
    style = os.path.join(pages, "_static", "styles", "furo.css")
    base = read(NORMALIZE) if os.path.exists(NORMALIZE) else ""
    write(style, re.sub(r"@import url\(/javascript/[^)]*\);", lambda _: base, read(style)))
