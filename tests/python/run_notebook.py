"""Runs a notebook: by nbclient where it is installed, else its cells as a program."""

import importlib.util
import json
import os
import sys

with open(sys.argv[1]) as file:
    notebook = json.load(file)

if importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"):
    import nbclient
    import nbformat
    done = nbclient.execute(nbformat.reads(json.dumps(notebook), as_version=4), timeout=300, kernel_name="python3")
    outputs = [out for cell in done.cells for out in cell.get("outputs", [])]
    shown = [out for out in outputs if "text/html" in out.get("data", {})]
    print(f"run by nbclient: {len(outputs)} outputs, {len(shown)} of them pages or tables")
    assert shown or not os.environ.get("POLYFORM_HAS_PAGE"), "no output of the notebook draws itself"
else:
    names = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), sys.argv[1], "exec"), names)
    print("run as a program")
