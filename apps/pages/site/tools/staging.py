"""Brings pages from where they stand in the repository into one folder of sources, and makes their links fit."""

import glob
import os
import posixpath
import re
import shutil

# Pages with a place of their own in the site. Others of a folder follow the rules of site_path.
PLACES = {
    "apps/pages/install.md": "install.md",
    "apps/pages/plugins.md": "how-to/writing-plugins.md",
    "plugins/README.md": "reference/shipped.md",
    "sdk/GUIDE.md": "reference/plugin-guide.md",
    "sdk/NOTATION.md": "reference/notation.md",
    "sdk/GLOSSARY.md": "reference/glossary.md",
    "sdk/NUMERICS.md": "numerics.md",
    "apps/models/references/README.md": "reference/references.md",
    "tests/benchmark/README.md": "reference/benchmark.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    ".github/CHANGELOG.md": "changes.md",
}
RULES = [
    (r"apps/pages/site/(.*\.md)", r"\1"),
    (r"apps/pages/([^/]*\.md)", r"reference/\1"),
    (r"plugins/formulations/([^/]*)/README\.md", r"theory/\1.md"),
    (r"plugins/elements/([^/]*)/README\.md", r"reference/elements/family-\1.md"),
    (r"plugins/([^/]*)/([^/]*)/README\.md", r"reference/\1-\2.md"),
    (r"sdk/examples/([^/]*)/README\.md", r"how-to/example-\1.md"),
]
SKIPPED_FOLDERS = {"build", "node_modules", "_build", "__pycache__", ".git"}


def site_path(repository_path):
    """Where a page of the repository stands in the site, or None."""
    if repository_path in PLACES:
        return PLACES[repository_path]
    for pattern, place in RULES:
        if re.fullmatch(pattern, repository_path):
            return re.sub(pattern, place, repository_path)
    return None


def pages(repository):
    """All pages of the repository that the site has, as (path in the repository, path in the site)."""
    found = []
    for folder, folders, names in os.walk(repository):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = posixpath.relpath(posixpath.join(folder, name), repository)
            place = site_path(path) if name.endswith(".md") else None
            if place:
                found.append((path, place))
    return found


class Links:
    """Turns links of a page into links of the site."""

    def __init__(self, repository, folder):
        self.repository, self.folder, self.copied = repository, folder, set()

    def turned(self, text, page, place):
        """Text of a page, for a place in the site."""
        return re.sub(r"(\]\()([^)\s]+)(\))", lambda m: m[1] + self.target(m[2], page, place) + m[3], text)

    def target(self, link, page, place):
        """The link in the site for a link in a page, whose place in the site is given."""
        path, mark, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or not path:
            return link
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        there = self.element_page(meant, anchor) or site_path(meant)
        if there is None and re.fullmatch(r"apps/models(/[a-z]*)?", meant):
            there, mark, anchor = "gallery/index.md", "", ""
        if there is None and re.fullmatch(r"apps/models/(.*)\.(yaml|urdf|sdf|xml)", meant):
            there = "gallery/" + model_page(meant)
        if there is None:
            there = self.copy(meant)
        if there is None:
            return link
        if there.startswith("reference/elements/") and not there.startswith("reference/elements/family-"):
            mark, anchor = "", ""
        relative = posixpath.relpath(there, posixpath.dirname(place) or ".")
        return relative + mark + anchor

    def element_page(self, path, anchor):
        """The page of a type that an anchor in the README of its family names, or None."""
        if not anchor or not re.fullmatch(r"plugins/elements/[^/]*/README\.md", path):
            return None
        names = glob.glob(os.path.join(self.folder, "reference", "elements", f"*-{anchor}.md"))
        names = [n for n in names if re.fullmatch(rf"[a-z-]*?(joint|force|constraint|body|module)-{re.escape(anchor)}\.md",
                                                  os.path.basename(n))]
        return "reference/elements/" + os.path.basename(names[0]) if names else None

    def copy(self, path):
        """A file of the repository that is no page is shown as it is."""
        source = os.path.join(self.repository, path)
        if not os.path.isfile(source):
            return None
        place = "files/" + path.lstrip(".")
        if path not in self.copied:
            target = os.path.join(self.folder, place)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
            self.copied.add(path)
        return place


def model_page(path):
    """The page in the gallery for a model of the repository."""
    stem = re.sub(r"^apps/models/", "", path)
    return re.sub(r"[./]", "-", re.sub(r"\.yaml$", "", stem)) + ".md"


def split_code(text):
    """A page as a list of (is code, lines)."""
    parts, lines, fence = [], [], None
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|:::+|~~~+)", line)
        if fence is None and mark and mark[1][0] != ":":
            parts.append((False, lines))
            lines, fence = [line], mark[1]
        elif fence is not None:
            lines.append(line)
            if line.strip() == fence:
                parts.append((True, lines))
                lines, fence = [], None
        else:
            lines.append(line)
    parts.append((fence is not None, lines))
    return parts


def mark_laws(lines):
    """Indented blocks of formulas become code blocks that are set as laws. Blocks of commands become commands."""
    out, block, after_blank = [], [], True
    in_list = False

    def flush():
        while block and not block[-1].strip():
            block.pop()
        if not block:
            return
        text = [b[4:] if b.startswith("    ") else b for b in block]
        commands = any(re.match(r"(polyform|cmake|bash|apt|cd|ctest|ninja|python3|gz|PYTHONPATH) ?", b) for b in text)
        yaml = any(re.match(r"\s*(- )?[a-z_]+:( |$)", b) for b in text)
        table = any(re.search(r"\S {3,}\S", b) for b in text) and len(text) > 1
        kind = "sh" if commands else "yaml" if yaml else "none"
        css = "" if commands or yaml else ":class: law" + (" table" if table else "")
        out.extend(["```{code-block} " + kind] + ([css] if css else []) + [""] + text + ["```"])
        block.clear()

    for line in lines:
        if line.startswith("    ") and line.strip() and not in_list and (after_blank or block):
            block.append(line)
        elif not line.strip() and block:
            block.append(line)
        else:
            if block:
                flush()
                out.append("")
            if re.match(r"\s*([-*]|\d+\.) ", line):
                in_list = True
            elif line.strip() and not line.startswith(" "):
                in_list = False
            out.append(line)
        after_blank = not line.strip()
    if block:
        flush()
        out.append("")
    return out


def converted(text, page, place, links):
    """A page of the repository as a page of the site."""
    out = []
    for is_code, lines in split_code(text):
        if is_code:
            head = re.match(r"(\s*```+)([a-z]+) \S+$", lines[0])  # the guide names files after the language
            if head and "{" not in lines[0]:
                lines = [head[1] + head[2]] + lines[1:]
        else:
            lines = [links.turned(line, page, place) for line in mark_laws(lines)]
        out.extend(lines)
    return "\n".join(out) + "\n"


def write(folder, place, text):
    path = os.path.join(folder, place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def stage(repository, folder):
    """Writes all pages into the folder; returns their places in the site."""
    links = Links(repository, folder)
    places = []
    for page, place in pages(repository):
        with open(os.path.join(repository, page), encoding="utf-8") as file:
            text = file.read()
        write(folder, place, converted(text, page, place, links))
        places.append(place)
    list_the_rest(folder)
    return places


def list_the_rest(folder):
    """Pages of the reference that its index does not name come at its end."""
    index = os.path.join(folder, "reference", "index.md")
    with open(index, encoding="utf-8") as file:
        named = {line.strip() for line in file}
    here = sorted(n[:-3] for n in os.listdir(os.path.dirname(index)) if n.endswith(".md") and n != "index.md")
    rest = [name for name in here if name not in named]
    if rest:
        with open(index, "a", encoding="utf-8") as file:
            file.write("\n```{toctree}\n:caption: More\n:maxdepth: 1\n\n" + "\n".join(rest) + "\n```\n")
