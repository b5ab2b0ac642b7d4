"""The program aside, in a package for this platform."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def command() -> str:
    """The path of the program."""
    name = "aside.exe" if os.name == "nt" else "aside"
    schemes = [sysconfig.get_preferred_scheme(which) for which in ("prefix", "user")]
    places = [Path(sysconfig.get_path("scripts", scheme)) for scheme in schemes]
    places.append(Path(__file__).parents[1] / "bin")  # of pip install --target
    for place in places:
        if (place / name).is_file():
            return str(place / name)
    raise FileNotFoundError(f"{name} is in none of {', '.join(map(str, places))}")


def main() -> None:
    """Runs the program in place of this one, so that uvx and pipx find it by the name of the package."""
    args = [command(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(args).returncode)
    os.execv(args[0], args)
