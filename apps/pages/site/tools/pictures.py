"""Pictures of models: each runs, and a browser without a window takes its report. What has not changed is kept."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

from gallery import head_of

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES, SIZE, TIME_LIMIT, BATCH = 20, (400, 300), 30, 8
LIMIT_OF_BROWSER = 900  # s, for a batch
LARGE = 4_000_000  # bytes of a page; a still picture of such a model is enough


def ended_in_time(command, limit, **how):
    """Runs a command; False if it was stopped after so many seconds."""
    try:
        subprocess.run(command, timeout=limit, check=False, **how)
    except subprocess.TimeoutExpired:
        return False
    return True


class Camera:
    """Takes pictures of models into a folder; tells by `missing` why there are none."""

    def __init__(self, program, node, chromium, cache):
        self.program, self.node, self.chromium, self.cache = program, node, chromium, cache
        self.missing = "" if node and chromium else "node or chromium was not found"
        os.makedirs(cache, exist_ok=True)

    def key(self, model, words):
        with open(model, "rb") as file:
            return hashlib.sha256(file.read() + json.dumps(words).encode()).hexdigest()[:16]

    def report(self, model, page, words=()):
        """Runs a model and writes its report; a long run is cut short. Returns whether there is a page."""
        with open(model, encoding="utf-8") as file:
            text = file.read()
        if re.search(r"\btype: fmu\b", text):
            with tempfile.TemporaryDirectory() as folder:
                return self.run(self.with_fmus(model, text, folder), text, page, words)
        return self.run(model, text, page, words)

    def with_fmus(self, model, text, folder):
        """Copies a model into a folder and makes the FMUs there, as its head says. Returns its place."""
        shutil.copytree(os.path.dirname(model), folder, dirs_exist_ok=True)
        for command in head_of(text)[0]:
            if command.startswith("polyform export"):
                ended_in_time([self.program, *command.split()[1:]], TIME_LIMIT, cwd=folder, capture_output=True)
        return os.path.join(folder, os.path.basename(model))

    def run(self, model, text, page, words):
        found = re.search(r"\bduration: *([0-9.eE+-]+)", text)
        duration = float(found[1]) if found else 10.0
        for shorter in (1, 20, 400):
            rows = ["--duration", f"{duration / shorter:.6g}", "--output-interval", f"{duration / shorter / 96:.6g}"]
            if ended_in_time([self.program, "run", model, "--quiet", "--columns", "joints,bodies,energy", *words, *rows,
                              "--report", page], TIME_LIMIT, capture_output=True):
                return os.path.exists(page)
        return False

    def take(self, jobs):
        """Lets the browser take what the list says; what fails has no file afterwards."""
        if self.missing or not jobs:
            return
        lists = os.path.join(self.cache, "jobs.json")
        with open(lists, "w", encoding="utf-8") as file:
            json.dump(jobs, file)
        if not ended_in_time([self.node, os.path.join(HERE, "pictures.mjs"), self.chromium, lists], LIMIT_OF_BROWSER):
            print(f"the browser was stopped after {LIMIT_OF_BROWSER} s: pictures that it had not taken are missing")

    def prepare(self, models):
        """Takes pictures of all models of which there are none yet, several with one browser."""
        missing = [m for m in models if not self.missing and not self.known(self.kept(m))]
        for begin in range(0, len(missing), BATCH):
            self.make([(m, self.kept(m)) for m in missing[begin:begin + BATCH]])

    def kept(self, model):
        return os.path.join(self.cache, self.key(model, []))

    @staticmethod
    def known(kept):
        return os.path.exists(kept + ".png") or os.path.exists(kept + ".none")

    def mechanism(self, model, target):
        """Copies what prepare() made of a model: target.png, and target.webp, which moves. Returns what there is."""
        found = []
        for ending in (".png", ".webp"):
            if os.path.exists(self.kept(model) + ending):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(self.kept(model) + ending, target + ending)
                found.append(ending)
        return found

    def make(self, pairs):
        jobs = []
        for model, kept in pairs:
            page = kept + ".html"
            if not has_bodies(model) or not self.report(model, page):
                open(kept + ".none", "w").close()
                continue
            large = os.path.getsize(page) > LARGE
            jobs.append({"page": page, "png": kept, "width": SIZE[0], "height": SIZE[1], "of": "mechanism",
                         "frames": 1 if large else FRAMES})
        self.take(jobs)
        for job in jobs:
            kept = job["png"]
            frames = [f"{kept}.{k}.png" for k in range(job["frames"]) if os.path.exists(f"{kept}.{k}.png")]
            if frames:
                shutil.copyfile(frames[len(frames) // 3], kept + ".png")
                if len(frames) > 1:
                    animate(frames, kept + ".webp")
            else:
                open(kept + ".none", "w").close()
            for name in frames + [job["page"]]:
                os.remove(name)


def has_bodies(model):
    """Whether there is something to draw: a model may consist of modules alone."""
    with open(model, encoding="utf-8") as file:
        return not model.endswith(".yaml") or re.search(r"^(bodies|chains|place|include):", file.read(), re.M) is not None


def animate(frames, target):
    """One picture that moves, of many; nothing where the imaging library of Python is not installed."""
    try:
        from PIL import Image
    except ImportError:
        return
    pictures = [Image.open(name).convert("RGB") for name in frames]
    pictures[0].save(target, save_all=True, append_images=pictures[1:], duration=150, loop=0, quality=60, method=3)
