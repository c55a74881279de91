"""Pictures of models: each runs, and a browser without a window takes its report. What has not changed is kept."""

import hashlib
import json
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES, SIZE, TIME_LIMIT = 24, (400, 300), 40


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
        for extra in ((), ("--duration", "0.5"), ("--duration", "0.05")):
            if extra and "--duration" in words:
                break
            try:
                subprocess.run([self.program, "run", model, "--quiet", "--columns", "joints,bodies,energy", *words, *extra,
                                "--report", page], timeout=TIME_LIMIT, check=True, capture_output=True)
                return os.path.exists(page)
            except (subprocess.SubprocessError, OSError):
                continue
        return False

    def take(self, jobs):
        """Lets the browser take what the list says; what fails has no file afterwards."""
        if self.missing or not jobs:
            return
        lists = os.path.join(self.cache, "jobs.json")
        with open(lists, "w", encoding="utf-8") as file:
            json.dump(jobs, file)
        subprocess.run([self.node, os.path.join(HERE, "pictures.mjs"), self.chromium, lists], timeout=900, check=False)

    def mechanism(self, model, target, words=(), moving=True):
        """A still picture (target.png) and one that moves (target.webp) of a model. Returns what there is."""
        kept = os.path.join(self.cache, self.key(model, list(words)))
        if not os.path.exists(kept + ".png") and not os.path.exists(kept + ".none"):
            self.make(model, kept, words, moving)
        found = []
        for ending in (".png", ".webp"):
            if os.path.exists(kept + ending):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(kept + ending, target + ending)
                found.append(ending)
        return found

    def make(self, model, kept, words, moving):
        page = kept + ".html"
        if self.missing or not self.report(model, page, words):
            open(kept + ".none", "w").close()
            return
        job = {"page": page, "png": kept, "width": SIZE[0], "height": SIZE[1], "of": "mechanism", "frames": FRAMES}
        self.take([job])
        frames = [f"{kept}.{k}.png" for k in range(FRAMES) if os.path.exists(f"{kept}.{k}.png")]
        if frames:
            shutil.copyfile(frames[len(frames) // 3], kept + ".png")
            if moving:
                animate(frames, kept + ".webp")
        for name in frames + [page]:
            os.remove(name)


def animate(frames, target):
    """One picture that moves, of many; nothing where the imaging library of Python is not installed."""
    try:
        from PIL import Image
    except ImportError:
        return
    pictures = [Image.open(name).convert("RGB") for name in frames]
    pictures[0].save(target, save_all=True, append_images=pictures[1:], duration=125, loop=0, quality=60, method=3)
