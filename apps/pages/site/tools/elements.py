"""Reference pages of all that plugins offer, from what the program says of itself: `polyform plugins --json`."""

import html
import os
import re

import drawings_machines  # noqa: F401, which adds its drawings
import drawings_rows  # noqa: F401
from drawings import draw
from staging import Links, model_page, write

KINDS = {
    "joint": "Joints", "force": "Forces", "constraint": "Constraints", "flexible body": "Flexible bodies",
    "module": "Modules",
}
LISTS = {"joint": "joints", "force": "forces", "constraint": "constraints", "flexible body": "bodies", "module": "modules"}
NEEDED = {"constraint": "constraint elements", "flexible body": "flexible bodies", "module": "modules"}
SIGNS = {
    "joint": "Coordinates are zero as drawn. A positive coordinate moves `moving` relative to `base`: along the axis, or "
             "about it by the right hand. A positive effort drives the joint in that direction.",
    "force": "A wrench acts on the bodies that the fields name, at the points that they name. A tension is positive when "
             "it pulls its ends together. Power is positive when energy comes into the system.",
    "constraint": "The forces of the constraint act along the directions in which it holds. They are columns of the group "
                  "`reactions`.",
    "flexible body": "Modal coordinates are zero in the undeformed body, in which the model is drawn. Displacements of "
                     "nodes are in body axes.",
    "module": "Variables have the directions that the equations give them. The effort on a joint is positive in the "
              "direction of the joint's coordinate.",
}


JOINT_FORCE = ("The force is an effort on the joint: positive where it drives `moving` relative to `base` in the direction of "
               "the joint's coordinate. Power is positive when energy comes into the system.")


def signs(kind, fields):
    """The rules of signs for a type. fields: those that it declares."""
    if kind == "force" and any(f["name"] in ("joint", "joints", "driving") for f in fields):
        return JOINT_FORCE
    return SIGNS[kind]


def slug(kind, name):
    return f"{kind.replace(' ', '-')}-{name}"


def cell(text):
    return html.escape(str(text), quote=False).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def field_table(fields):
    if not fields:
        return "It has no fields of its own.\n"
    rows = ["| field | takes | unit | default | meaning |", "|---|---|---|---|---|"]
    for f in fields:
        default = "**required**" if f["required"] else f"`{f['default']}`" if f.get("default") else ""
        rows.append(f"| `{f['name']}` | {cell(f['takes'])} | {cell(f['unit'])} | {default} | {cell(f['meaning'])} |")
    return "\n".join(rows) + "\n"


def variable_table(offer):
    rows = []
    for what, title in (("positions", "coordinate"), ("velocities", "velocity"), ("variables", "variable"),
                        ("states", "state"), ("rows", "force of a row"), ("outputs", "output")):
        for v in offer.get(what, []):
            rows.append(f"| {title} | `{v['name']}` | {cell(v['unit'] or 'that of the joint')} |")
    for v in offer.get("discrete_states", []):
        values = ", ".join(f"{k} {name}" for k, name in enumerate(v["values"]))
        rows.append(f"| discrete state | `{v['name']}`: {cell(v['meaning'])} | {cell(values)} |")
    if not rows:
        return ""
    return "## Columns of the results\n\n| kind | name | unit |\n|---|---|---|\n" + "\n".join(rows) + "\n\n"


class Families:
    """What the READMEs beside the elements say of one type."""

    def __init__(self, repository):
        self.pages = {}
        folder = os.path.join(repository, "plugins", "elements")
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name, "README.md")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    self.pages[name] = file.read()

    def about(self, offer):
        """(family, the text about the type as a page beside the README), or (None, "")."""
        name = offer["name"]
        for family, page in self.pages.items():
            for title, section in re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page, re.M | re.S):
                if name in (part.strip(" `") for part in title.split(",")):
                    return family, re.sub(r"^#", "##", section.strip(), flags=re.M)
        for family, page in self.pages.items():
            if re.match(rf"# `?{re.escape(name)}s?`?\s*$", page, re.M) or f"\n`{name}`:" in page:
                body = page.split("\n", 1)[1]
                return family, re.sub(r"^##", "###", body.strip(), flags=re.M)
        for family, page in self.pages.items():
            found = self.rows(page, name) + self.items(page, name)
            if found:
                return family, "\n\n".join(found)
        return None, ""

    def rows(self, page, name):
        """Rows of tables whose first cell is the type, as lines 'heading: cell'."""
        found, head = [], None
        for line in page.splitlines():
            if not line.lstrip().startswith("|"):
                head = None
                continue
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if head is None:
                head = cells
            elif cells and re.match(rf"`{re.escape(name)}`(?: \(|$)", cells[0]):
                lines = [f"**{h}**: {c}" for h, c in zip(head[1:], cells[1:]) if c and h]
                lines += [c for h, c in zip(head[1:], cells[1:]) if c and not h]
                found.append("  \n".join(lines))
        return found

    def items(self, page, name):
        """Items of lists that begin with the type and a colon."""
        found = []
        for item in re.findall(r"^- (.*?)(?=^- |^$|\Z)", page, re.M | re.S):
            if re.match(rf"`{re.escape(name)}`(?: \([^)]*\))?:", item):
                found.append(re.sub(r"\n\s+", "\n", item.strip()))
        return found


def models_with(models, offer):
    pattern = re.compile(rf"type:\s*{re.escape(offer['name'])}\s*[,}}\n]")
    return [path for path, text in models.items() if pattern.search(text)]


def solvers_for(formulations, offer):
    """Names of formulations that run a type, by the abilities that they declare."""
    needed = [NEEDED[offer["kind"]]] if offer["kind"] in NEEDED else []
    if offer.get("discrete_states"):
        needed.append("discrete states")
    if offer.get("states") and offer["kind"] == "force":
        needed.append("first-order states")
    return [f["name"] for f in formulations if all(n in f.get("supports", []) for n in needed)], needed


def element_page(offer, plugin, families, models, formulations, links):
    kind, name = offer["kind"], offer["name"]
    family, law = families.about(offer)
    law = links.turned(law, f"plugins/elements/{family}/README.md", f"reference/elements/{slug(kind, name)}.md")
    runs, needed = solvers_for(formulations, offer)
    lines = [f"# {name}", "", f"*{kind}, of the plugin `{plugin}`; in the list `{LISTS[kind]}` of a model.* {offer['meaning']}",
             "", '<div class="drawing">', draw(kind, name, offer["fields"]), "</div>", "", "## Fields", "",
             field_table(offer["fields"]), "Every element also has a `name` and a `type`"
             + (", a joint a `base` and a `moving` body and an `initial` state." if kind == "joint" else "."), "",
             variable_table(offer)]
    if law:
        lines += ["## Law", "", law, ""]
    lines += ["## Signs", "", signs(kind, offer["fields"]) + " [Notation](../notation.md) has all rules.", "", "## Formulations", ""]
    solvers = ", ".join(f"[`{s}`](../solvers/{s}.md)" for s in runs)
    why = f" These declare the ability {' and '.join('*' + n + '*' for n in needed)}." if needed else ""
    others = [f["name"] for f in formulations if f["name"] not in runs]
    lines += [f"It runs in {solvers}.{why}" if runs else "No loaded formulation declares what it needs."]
    if runs and others:
        lines += ["", "It does not run in " + ", ".join(f"`{o}`" for o in others) + "."]
    used = models_with(models, offer)
    if used:
        lines += ["", "## Models with it", "",
                  ", ".join(f"[{os.path.basename(m)}](../../gallery/{model_page(m)})" for m in used[:12]) + "."]
    if family:
        lines += ["", f"The whole family, with sources: [{family}](family-{family}.md)."]
    return "\n".join(lines) + "\n"


def options_page(offer, plugin, facts):
    lines = [f"# {offer['name']}", "", f"*{offer['kind']}, of the plugin `{plugin}`.* {offer['meaning']}", ""]
    lines += [f"- {name}: {value}" for name, value in facts] + ["", "## Options", "", field_table(offer.get("options", []))]
    return "\n".join(lines) + "\n"


def write_reference(repository, folder, plugins, models):
    """Writes all pages; returns nothing. plugins: what `polyform plugins --json` prints. models: text by path."""
    families, links = Families(repository), Links(repository, folder)
    offers = [(o, p["name"]) for p in plugins["plugins"] for o in p["offers"] if p["status"] == "loaded" or p["offers"]]
    formulations = [o for o, _ in offers if o["kind"] == "formulation"]
    contents = []
    for kind, title in KINDS.items():
        chosen = sorted((o for o in offers if o[0]["kind"] == kind), key=lambda o: o[0]["name"])
        contents += [f"## {title}", "", "| type | what it is |", "|---|---|"]
        for offer, plugin in chosen:
            place = slug(kind, offer["name"])
            page = element_page(offer, plugin, families, models, formulations, links)
            write(folder, f"reference/elements/{place}.md", page)
            contents.append(f"| [`{offer['name']}`]({place}.md) | {cell(offer['meaning'])} |")
        contents += ["", "```{toctree}", ":hidden:", ""] + [slug(kind, o["name"]) for o, _ in chosen] + ["```", ""]
    family_pages = "\n".join(f"family-{name}" for name in families.pages)
    write(folder, "reference/elements/index.md", "# Elements\n\nEvery type that the shipped plugins offer, with its fields, "
          "law, signs, drawing and the formulations that run it. `polyform plugins show NAME` tells the same in a "
          "terminal, also of plugins of your own.\n\n" + "\n".join(contents)
          + "\n## Families\n\nHow the types of one plugin are computed, with their sources.\n\n```{toctree}\n:maxdepth: 1\n\n"
          + family_pages + "\n```\n")
    write_options(folder, offers)


def write_options(folder, offers):
    for kind, place, title, intro in (
            ("formulation", "solvers", "Solvers", "A solver is a formulation applied to one system."),
            ("integrator", "integrators", "Integrators", "An integrator advances the state of a solver in time."),
            ("importer", "importers", "Importers", "An importer reads models of other programs.")):
        chosen = sorted((o for o in offers if o[0]["kind"] == kind), key=lambda o: o[0]["name"])
        rows = ["| name | what it is |", "|---|---|"]
        for offer, plugin in chosen:
            facts = [("source", offer["source"])] if offer.get("source") else []
            if "supports" in offer:
                facts.append(("supports", ", ".join(offer["supports"])))
                facts.append(("theory", f"[the idea and its equations](../../theory/{offer['name']}.md)"))
            if "order" in offer:
                facts.append(("order", offer["order"]))
                facts.append(("steps", "fixed" if offer["fixed_step"] else "chosen by tolerances"))
            if "extensions" in offer:
                facts.append(("files", f"{offer['extensions']}; " + ("read and written" if offer["exports"] else "read")))
            write(folder, f"reference/{place}/{offer['name']}.md", options_page(offer, plugin, facts))
            rows.append(f"| [`{offer['name']}`]({offer['name']}.md) | {cell(offer['meaning'])} |")
        write(folder, f"reference/{place}/index.md", f"# {title}\n\n{intro}\n\n" + "\n".join(rows)
              + "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(o["name"] for o, _ in chosen) + "\n```\n")
