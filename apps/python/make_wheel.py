"""Makes a wheel of the module with the library and its plugins: make_wheel.py MODULE LIBRARY PLUGINS VERSION FOLDER.

A wheel is a zip file with the package, METADATA, WHEEL and RECORD (PEP 427). What the library needs of the system is
not in it: the packages that the Debian package depends on.
"""

import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

module, library, plugins, version, folder = (pathlib.Path(a) for a in sys.argv[1:])
tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
info = f"polyform-{version}.dist-info"
record = []


def add(wheel, name, content):
    wheel.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(content)}")


folder.mkdir(parents=True, exist_ok=True)
file = folder / f"polyform-{version}-{tag}-{tag}-{platform}.whl"
with zipfile.ZipFile(file, "w") as wheel:
    for part in sorted(module.iterdir()):
        if part.is_file():
            add(wheel, f"polyform/{part.name}", part.read_bytes())
    add(wheel, f"polyform/lib/{library.name}", library.read_bytes())
    add(wheel, "polyform/lib/polyform/polyform_fmu.so", (plugins.parent / "polyform_fmu.so").read_bytes())
    for plugin in sorted(plugins.glob("*.so")):
        add(wheel, f"polyform/lib/polyform/plugins/{plugin.name}", plugin.read_bytes())
    add(wheel, f"{info}/METADATA", (
        f"Metadata-Version: 2.1\nName: polyform\nVersion: {version}\n"
        "Summary: Multibody dynamics with formulations as plugins\nLicense: MIT\nRequires-Python: >=3.9\n"
        "Requires-Dist: numpy\n").encode())
    add(wheel, f"{info}/WHEEL", (
        f"Wheel-Version: 1.0\nGenerator: polyform\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{platform}\n").encode())
    wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
print(file)
