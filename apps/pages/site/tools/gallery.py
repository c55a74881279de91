"""The gallery: a page for every shipped model, with its picture, what to notice, and the model itself."""

import os
import re

import yaml

from staging import model_page, write

GROUPS = [
    ("tutorial/", "Tutorial"),
    ("studies/", "Studies"),
    ("", "Models"),
]


def models_of(repository):
    """Text of every shipped model, by its path in the repository."""
    found = {}
    base = os.path.join(repository, "apps", "models")
    for folder, folders, names in os.walk(base):
        folders[:] = sorted(f for f in folders if f != "references")
        for name in sorted(names):
            if re.search(r"\.(yaml|urdf|sdf|xml)$", name):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, repository)] = file.read()
    return found


def head_of(text):
    """The comment at the head of a model: (commands, paragraphs)."""
    commands, words = [], []
    comment = re.search(r"<!--(.*?)-->", text[:3000], re.S)
    if text.lstrip().startswith("<"):
        lines = comment[1].splitlines() if comment else []
    else:
        lines = []
        for line in text.splitlines():
            if not line.startswith("#"):
                break
            lines.append(line[1:])
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("polyform "):
            commands.append(stripped)
        else:
            words.append(line[1:] if line.startswith(" ") else line)
    return commands, "\n".join(words).strip()


def as_page(words):
    """Paragraphs of a comment as text of a page: indented lines are formulas."""
    out, block = [], []
    for line in words.splitlines() + [""]:
        if line.startswith("  ") and line.strip():
            block.append(line.strip())
            continue
        if block:
            out += ["", "```{code-block} none", ":class: law", ""] + block + ["```", ""]
            block = []
        out.append(re.sub(r"([*_<`])", r"\\\1", line))
    return "\n".join(out).strip()


def title_of(path, text):
    found = re.search(r"^name: *(.+)$", text, re.M)
    return found[1].strip().strip('"') if found else os.path.basename(path)


def picture(stem, title, prefix):
    """The moving picture, or the still one where there is no other or motion is not wanted."""
    return (f'<img class="moving" src="{prefix}{stem}.webp" alt="{title}, moving" width="400" height="300">'
            f'<img class="only-still" src="{prefix}{stem}.png" alt="{title}" width="400" height="300">')


def write_gallery(repository, folder, models, camera):
    with open(os.path.join(repository, "apps/pages/site/gallery/notes.yaml"), encoding="utf-8") as file:
        notes = yaml.safe_load(file) or {}
    sections = {title: [] for _, title in GROUPS}
    pages = []
    for path, text in models.items():
        stem = re.sub(r"\.md$", "", model_page(path))
        title, short = title_of(path, text), re.sub(r"^apps/models/", "", path)
        target = os.path.join(folder, "gallery", "pictures", stem)
        study = short.startswith("studies/")
        have = [] if study or camera.missing else camera.mechanism(os.path.join(repository, path), target)
        commands, words = head_of(text)
        note = notes.get(re.sub(r"\.yaml$", "", short), "")
        lines = [f"# {title}", "", f"`{path}`", ""]
        if ".webp" in have:
            lines += [picture(stem, title, "pictures/"), ""]
        elif have:
            lines += [f"![{title}](pictures/{stem}.png)", ""]
        if note:
            lines += [f"**What to notice.** {note}", ""]
        lines += [as_page(words), ""]
        if commands:
            lines += ["```{code-block} sh", *commands, "```", ""]
        language = "yaml" if path.endswith(".yaml") else "xml"
        lines += ["## The model", "", f"```{{literalinclude}} /files/{path}", f":language: {language}", "```", ""]
        write(folder, f"gallery/{stem}.md", "\n".join(lines))
        group = next(g for prefix, g in GROUPS if short.startswith(prefix))
        shown = f'<img src="pictures/{stem}.png" alt="" loading="lazy" width="400" height="300">' if have else ""
        first = re.split(r"(?<=[.:])\s", note or words.replace("\n", " "))[0]
        sections[group].append(f'<li><a href="{stem}.html">{shown}<strong>{title}</strong><span>{first}</span></a></li>')
        pages.append(stem)
    body = "".join(f'## {title}\n\n<ul class="gallery">{"".join(items)}</ul>\n\n'
                   for title, items in sections.items() if items)
    write(folder, "gallery/index.md", "# Gallery\n\nEvery model that comes with Polyform. They are installed in "
          "`share/polyform/models` and stand in `apps/models` of the sources.\n\n" + body
          + "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n")
