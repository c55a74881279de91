"""Reference pages of the C++ and Python interfaces, from their declarations and comments."""

import ast
import os
import re

from staging import write


def header_page(path, name):
    """Comments and declarations of one header, without includes and what is private."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = []
    while lines and lines[0].startswith("//"):
        head.append(lines.pop(0).lstrip("/ "))
    kept, private = [], False
    for line in lines:
        if re.match(r"#(pragma|include|ifndef|define|endif)|// (IWYU|NOLINT)", line):
            continue
        if re.match(r"\s*private:", line):
            private = True
        if re.match(r"\s*(public:|protected:|};)", line):
            private = False
        if not private:
            kept.append(line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    words = " ".join(head) or ""
    return f"## {name}\n\n{words}\n\n```cpp\n{text}\n```\n"


def write_headers(repository, folder, source, place, title, intro):
    base = os.path.join(repository, source)
    names = sorted(n for n in os.listdir(base) if n.endswith(".hpp"))
    pages = [header_page(os.path.join(base, n), n) for n in names]
    write(folder, place, f"# {title}\n\n{intro}\n\n" + "\n".join(pages))


def signature(node):
    return f"{node.name}({ast.unparse(node.args)})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def docstrings(repository):
    """Docstrings of the Python sources, by 'Class.name' and 'name'."""
    found = {}
    base = os.path.join(repository, "apps/python/polyform")
    for name in sorted(os.listdir(base)):
        if not name.endswith(".py"):
            continue
        with open(os.path.join(base, name), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found[node.name] = ast.get_docstring(node) or ""
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, ast.FunctionDef):
                        found[f"{node.name}.{part.name}"] = ast.get_docstring(part) or ""
    return found


def python_page(repository):
    with open(os.path.join(repository, "apps/python/polyform/__init__.pyi"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    said = docstrings(repository)
    lines = ["# Python interface", "", "Every class and function of the module `polyform`. [Python](python.md) shows how they "
             "are used.", ""]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            lines += [f"## {node.name}", "", "```python", signature(node), "```", "", said.get(node.name, ""), ""]
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            bases = ", ".join(ast.unparse(b) for b in node.bases)
            lines += [f"## {node.name}", "", f"*class {node.name}({bases})*" if bases else "*class*", "",
                      said.get(node.name, ""), ""]
            for part in node.body:
                if isinstance(part, ast.AnnAssign):
                    default = f" = {ast.unparse(part.value)}" if part.value else ""
                    lines += [f"`{ast.unparse(part.target)}: {ast.unparse(part.annotation)}{default}`", ""]
                if isinstance(part, ast.FunctionDef) and (not part.name.startswith("_") or part.name == "__init__"):
                    lines += ["```python", signature(part), "```", "", said.get(f"{node.name}.{part.name}", ""), ""]
    return "\n".join(lines) + "\n"


def write_interfaces(repository, folder):
    write_headers(repository, folder, "apps/library/include/polyform/library", "reference/cpp.md", "C++ interface",
                  "The headers of libpolyform in `polyform/library/`. `#include <polyform/polyform.hpp>` brings all of them. "
                  "[An example](python.md#c).")
    write_headers(repository, folder, "sdk/include/polyform/contract", "reference/contract.md", "Contract with plugins",
                  "The headers in `polyform/contract/`: all that crosses between the program and a plugin. The "
                  "[author's guide](plugin-guide.md) explains them in order.")
    write(folder, "reference/python-interface.md", python_page(repository))
