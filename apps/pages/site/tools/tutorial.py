"""Pictures of the tutorial, and the one of the README."""

import os

STEPS = "apps/models/tutorial"


def write_tutorial_pictures(repository, folder, camera):
    """A moving picture for each step; an empty drawing stands where none could be taken."""
    for name in sorted(os.listdir(os.path.join(repository, STEPS))):
        stem = name.removesuffix(".yaml")
        target = os.path.join(folder, "tutorial", "pictures", stem)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        have = [] if camera.missing else camera.mechanism(os.path.join(repository, STEPS, name), target)
        if ".webp" not in have:
            with open(target + ".webp", "wb") as file:
                file.write(EMPTY)


# A picture of some pixels without colour.
EMPTY = bytes.fromhex("524946461a000000574542505650384c0d0000002f03800010071011118888fe0700")
