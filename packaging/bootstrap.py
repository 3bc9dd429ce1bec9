#!/usr/bin/env python3
"""Set everything up on a machine with only Python, then run the app or its tests.

    python3 packaging/bootstrap.py run  [arguments of uptime-desktop]
    python3 packaging/bootstrap.py test [arguments of pytest]

Standard library only, and in words that Python 3.6 understands, so that an old Python can
say that it is too old. What this file says itself goes to standard error.
"""

import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from typing import Callable, Dict, List, NoReturn, Optional, Tuple

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "bootstrap.stamp")
LOG = os.path.join(VENV, "bootstrap.log")
REQUIREMENTS = {
    "run": ["requirements.txt"],
    "test": ["requirements.txt", "requirements-dev.txt"],
}
CA_BUNDLES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

# What the Qt wheels expect of the system: library, Debian's package, Fedora's package.
QT_LIBRARIES = [
    ("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    ("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    ("libGL.so.1", "libgl1", "libglvnd-glx"),
    ("libEGL.so.1", "libegl1", "libglvnd-egl"),
    ("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    ("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    ("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    ("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    ("libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
]


class Hopeless(Exception):
    """Set-up cannot go on; the message is the one sentence to show."""


def main(arguments: List[str]) -> int:
    if not arguments or arguments[0] not in REQUIREMENTS:
        wanted = "nothing" if not arguments else repr(arguments[0])
        say("usage: bootstrap.py run|test [arguments], not " + wanted)
        return 2
    command, rest = arguments[0], arguments[1:]
    try:
        use_new_enough_python()
        if not is_set_up(command):
            set_up(command)
    except Hopeless as sentence:
        say(str(sentence))
        return 1
    except OSError as error:
        say(explain(error))
        return 1
    return run_app(rest) if command == "run" else run_tests(rest)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def explain(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "The disk is full: about 700 MB are needed under " + VENV + "."
    return "Set-up failed at {}: {}.".format(error.filename or VENV, error.strerror or error)


def use_new_enough_python() -> None:
    """Hand over to a newer Python on the PATH where this one is too old."""
    if sys.version_info >= OLDEST:
        return
    for minor in range(20, OLDEST[1] - 1, -1):
        newer = shutil.which("python3.{}".format(minor))
        if newer:
            os.execv(newer, [newer, os.path.abspath(__file__)] + sys.argv[1:])
    this = "{}.{}.{}".format(*sys.version_info[:3])
    raise Hopeless("Python 3.11 or newer is needed, this is {}.".format(this))


# Knowing what is there


def venv_python() -> str:
    if os.name == "nt":
        return os.path.join(VENV, "Scripts", "python.exe")
    return os.path.join(VENV, "bin", "python")


def digest(command: str) -> str:
    """Changes whenever what is installed for a command would have to change."""
    content = hashlib.sha256(repr((sys.version_info[:3], ROOT, command)).encode())
    for name in REQUIREMENTS[command]:
        content.update(read(os.path.join(ROOT, "packaging", name)))
    content.update(read(os.path.join(ROOT, "pyproject.toml")))
    content.update(read(os.path.abspath(__file__)))
    return content.hexdigest()


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def is_set_up(command: str) -> bool:
    if not os.path.exists(venv_python()) or not os.path.exists(STAMP):
        return False
    done = read(STAMP).decode().split()
    return digest(command) in done or digest("test") in done


def has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"))


# Setting up


def set_up(command: str) -> None:
    say("Setting up Uptime Desktop in {} (once).".format(VENV))
    install_system_packages(needs_qt=command == "test" or has_display() or is_root())
    make_venv()
    requirements = []  # type: List[str]
    for name in REQUIREMENTS[command]:
        requirements += ["-r", os.path.join(ROOT, "packaging", name)]
    say("Installing Python packages; the first time this downloads about 150 MB.")
    pip("--require-hashes", *requirements)
    # With its dependencies there, the project itself needs nothing more from anywhere.
    pip("--no-deps", "--no-build-isolation", "--no-index", "-e", ROOT)
    with open(STAMP, "w") as file:
        file.write(digest(command))
    say("Done.")


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def install_system_packages(needs_qt: bool) -> None:
    apt, dnf = shutil.which("apt-get"), shutil.which("dnf")
    python = missing_python_packages(apt)
    libraries = missing_libraries() if needs_qt else []
    if not python and not libraries:
        return
    names = [library[0] for library in libraries]
    if apt:
        packages = python + [library[1] for library in libraries]
        install = [apt, "install", "-y", "-q", "--no-install-recommends"] + packages
        attempts = [install, [apt, "update", "-q"], install]
    elif dnf:
        packages = sorted({library[2] for library in libraries})
        install = [dnf, "install", "-y", "-q"] + packages
        attempts = [install]
    else:
        raise Hopeless("Install these libraries, then run this again: " + " ".join(names) + ".")
    if not is_root():
        manager = os.path.basename(install[0])
        line = " ".join(["sudo", manager, "install", "-y"] + packages)
        raise Hopeless(
            "System packages are missing. Run this, then the same command again: " + line
        )
    say("Installing system packages: " + " ".join(packages))
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for attempt in attempts:
        code, output = run_showing(attempt, environment, lambda line: line.startswith("Setting up"))
        if code == 0 and attempt is install:
            return
    raise Hopeless(explain_failure("The system packages could not be installed", output))


def missing_python_packages(apt: Optional[str]) -> List[str]:
    """Debian splits the standard library over several packages."""
    lacking = [name for name in ("ctypes", "sqlite3", "ssl", "zlib") if not has_module(name)]
    lacking_venv = not (has_module("venv") and has_module("ensurepip"))
    if not lacking and not lacking_venv:
        return []
    own = os.path.realpath(sys.executable)
    if apt and own.startswith("/usr/bin/"):
        is_default = own == os.path.realpath("/usr/bin/python3")
        name = "python3" if is_default else "python{}.{}".format(*sys.version_info[:2])
        return ([name] if lacking else []) + ([name + "-venv"] if lacking_venv else [])
    parts = lacking + (["venv"] if lacking_venv else [])
    raise Hopeless(
        "This Python ({}) was built without {}; use one that has it.".format(
            sys.executable, " and ".join(parts)
        )
    )


def has_module(name: str) -> bool:
    extension = {"ctypes": "_ctypes", "sqlite3": "_sqlite3", "ssl": "_ssl"}
    return all(importlib.util.find_spec(part) for part in (name, extension.get(name, name)))


def missing_libraries() -> List[Tuple[str, str, str]]:
    if not sys.platform.startswith("linux") or not has_module("ctypes"):
        return QT_LIBRARIES if sys.platform.startswith("linux") else []
    import ctypes

    missing = []
    for library in QT_LIBRARIES:
        try:
            ctypes.CDLL(library[0])
        except OSError:
            missing.append(library)
    return missing


def make_venv() -> None:
    """An environment of exactly this Python; one that another left behind is replaced."""
    wanted = "{}.{}.{}".format(*sys.version_info[:3])
    check = "import pip, platform; print(platform.python_version())"
    if os.path.exists(venv_python()):
        found = subprocess.run(
            [venv_python(), "-c", check],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if found.stdout.decode().strip() == wanted:
            return
    if os.path.isdir(VENV):
        shutil.rmtree(VENV)
    command = [sys.executable, "-m", "venv", VENV]
    made = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode:
        output = made.stdout.decode(errors="replace")
        raise Hopeless(explain_failure("No virtual environment could be made", output))


def pip(*arguments: str) -> None:
    environment = dict(
        os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PIP_USER="0"
    )
    for bundle in CA_BUNDLES:
        if os.path.exists(bundle):
            environment.setdefault("PIP_CERT", bundle)
            environment.setdefault("SSL_CERT_FILE", bundle)
    code, output = run_showing(
        [venv_python(), "-m", "pip", "install", "--progress-bar", "off", *arguments],
        environment,
        lambda line: line.strip().startswith(("Downloading", "Installing")),
    )
    if code:
        raise Hopeless(explain_failure("The Python packages could not be installed", output))


def run_showing(
    command: List[str], environment: Dict[str, str], is_worth_showing: Callable[[str], bool]
) -> Tuple[int, str]:
    """Run a program, show the lines that tell of progress, keep all of them in the log."""
    lines = []
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        for raw in process.stdout:
            line = raw.decode(errors="replace").rstrip()
            lines.append(line)
            if is_worth_showing(line):
                say("  " + line.strip()[:100])
    if os.path.isdir(VENV):
        with open(LOG, "a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return process.returncode, "\n".join(lines)


NETWORK_WORDS = (
    "NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "Temporary failure",
    "ProxyError", "ReadTimeoutError", "Could not resolve", "Could not connect",
)  # fmt: skip


def explain_failure(what: str, output: str) -> str:
    if "No space left on device" in output:
        return what + ": the disk is full, about 700 MB are needed under " + VENV + "."
    if any(word in output for word in NETWORK_WORDS):
        return what + ": the package index cannot be reached. Check the network and run this again."
    if "DO NOT MATCH THE HASHES" in output:
        return what + ": a download is not what it should be. Run this again."
    if os.path.exists(LOG):
        return what + "; " + LOG + " says why."
    return what + ": " + (output.strip().splitlines() or ["no reason given"])[-1]


# Doing what was asked


def run_app(arguments: List[str]) -> int:
    command = [venv_python(), "-P", "-m", "uptime_desktop", *arguments]
    if os.name == "nt":
        return subprocess.call(command)
    sys.stderr.flush()
    return replace_process(command)


def replace_process(command: List[str]) -> NoReturn:
    """Become the app, so that signals and the exit code are its own."""
    os.execv(command[0], command)


def run_tests(arguments: List[str]) -> int:
    python = venv_python()
    lint_imports = os.path.join(os.path.dirname(python), "lint-imports")
    steps = [
        [python, "-m", "ruff", "format", "--check", "--quiet", "."],
        [python, "-m", "ruff", "check", "--quiet", "."],
        [python, "-m", "mypy"],
        [lint_imports],
        [python, "-m", "pytest", *arguments],
    ]
    for step in steps:
        say(
            "== "
            + " ".join(os.path.basename(step[0]) if part is step[0] else part for part in step)
        )
        code = subprocess.call(step, cwd=ROOT)
        if code:
            return code
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
