#!/usr/bin/env python3
"""Builds the documentation site, without a network.

    build.py --polyform build/bin/polyform --output build/docs [--without-pictures]

Pages come from apps/pages and from the READMEs beside the code. The reference is made from what the program says of
itself, the pictures from its reports. The site is in OUTPUT/html; open index.html.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
sys.path.insert(0, os.path.join(HERE, "tools"))

from check_links import broken_links  # noqa: E402
from commands import write_commands  # noqa: E402
from elements import write_reference  # noqa: E402
from gallery import models_of, write_gallery  # noqa: E402
from interfaces import write_interfaces  # noqa: E402
from pictures import Camera  # noqa: E402
from staging import stage  # noqa: E402
from theme import mend_pages, mend_theme  # noqa: E402
from tutorial import write_tutorial_pictures  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--polyform", required=True, help="the program")
    parser.add_argument("--output", required=True, help="folder for sources, pictures and pages")
    parser.add_argument("--without-pictures", action="store_true", help="do not run models and a browser")
    return parser.parse_args()


def run_sphinx(source, pages, version):
    environment = dict(os.environ, POLYFORM_VERSION=version)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-c", source,
               "-d", pages + ".cache", source, pages]
    return subprocess.run(command, env=environment, check=False).returncode


def copy_pictures(source, pages):
    """The gallery names its pictures in HTML of its own, which Sphinx does not look into."""
    pictures = os.path.join("gallery", "pictures")
    if os.path.isdir(os.path.join(source, pictures)):
        shutil.copytree(os.path.join(source, pictures), os.path.join(pages, pictures))


def main():
    given = arguments()
    program = os.path.abspath(given.polyform)
    source, pages = os.path.join(given.output, "source"), os.path.join(given.output, "html")
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(pages, ignore_errors=True)
    os.makedirs(source)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    plugins = json.loads(subprocess.run([program, "plugins", "--json"], capture_output=True, check=True).stdout)
    models = models_of(REPOSITORY)
    for path in models:
        os.makedirs(os.path.dirname(os.path.join(source, "files", path)), exist_ok=True)
        shutil.copyfile(os.path.join(REPOSITORY, path), os.path.join(source, "files", path))
    shutil.copytree(os.path.join(HERE, "static"), os.path.join(source, "static"))
    shutil.copyfile(os.path.join(HERE, "conf.py"), os.path.join(source, "conf.py"))
    node = None if given.without_pictures else shutil.which("node") or shutil.which("nodejs")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    camera = Camera(program, node, chromium, os.path.abspath(os.path.join(given.output, "pictures")))
    if camera.missing:
        reason = "--without-pictures was given" if given.without_pictures else camera.missing
        print(f"The site has no pictures of models: {reason}.")
    camera.prepare([os.path.join(REPOSITORY, m) for m in models if not m.startswith("apps/models/studies/")])
    write_tutorial_pictures(REPOSITORY, source, camera)
    write_gallery(REPOSITORY, source, models, camera)
    write_reference(REPOSITORY, source, plugins, models)
    write_commands(source, program)
    write_interfaces(REPOSITORY, source)
    stage(REPOSITORY, source)
    failed = run_sphinx(source, pages, version)
    copy_pictures(source, pages)
    mend_theme(pages)
    mend_pages(pages)
    problems = broken_links(pages)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"The site is {os.path.join(pages, 'index.html')}")
    return 1 if failed or problems else 0


if __name__ == "__main__":
    sys.exit(main())
