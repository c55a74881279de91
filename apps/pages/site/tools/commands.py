"""Reference pages of the commands, from their help."""

import re
import subprocess

from staging import write


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout.rstrip()


def command_names(program):
    """The commands that the general help lists."""
    found, within = [], False
    for line in help_of(program).splitlines():
        if re.match(r"subcommands:|commands:", line, re.I):
            within = True
        elif within and not line.startswith(" "):
            break
        elif within and (word := re.match(r"  ([a-z]+)\b", line)):
            found.append(word[1])
    return found


# Pages that tell more of a command than its help.
MORE = {
    "run": "commands.md#settings-of-a-run", "compare": "comparing.md", "study": "studies.md", "verify": "verification.md",
    "compile": "compiled-models.md", "resume": "commands.md#long-runs",
    "report": "reports.md", "linearize": "linear-models.md", "equilibrium": "linear-models.md", "import": "import.md",
    "export": "import.md#export", "new": "../how-to/writing-plugins.md", "conform": "../how-to/writing-plugins.md#conformance",
    "plugins": "shipped.md", "view": "view.md", "evaluate": "commands.md", "check": "model-file.md", "schema": "model-file.md",
}


def write_commands(folder, program):
    names = command_names(program)
    for name in names:
        more = f"\n[More about it](../{MORE[name]}).\n" if name in MORE else ""
        parts = [f"# polyform {name}\n{more}\n```{{code-block}} none\n{help_of(program, name)}\n```\n"]
        write(folder, f"reference/commands/{name}.md", "\n".join(parts))
    write(folder, "reference/commands/index.md", "# Help of every command\n\nWhat `polyform COMMAND --help` prints. "
          "[Commands](../commands.md) tells which one to take.\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(names)
          + "\n```\n\n```{code-block} none\n" + help_of(program) + "\n```\n")
