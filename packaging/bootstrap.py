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
import signal
import subprocess
import sys
from typing import Callable, Dict, List, Optional, Tuple

OLDEST = (3, 11)
HERE = os.path.realpath(__file__)
ROOT = os.path.dirname(os.path.dirname(HERE))
VENV = os.path.join(ROOT, ".venv")
MADE = os.path.join(VENV, "bootstrap.made")
STAMP = os.path.join(VENV, "bootstrap.stamp")
LOG = os.path.join(VENV, "bootstrap.log")
LOCK = os.path.join(ROOT, ".bootstrap.lock")
NEEDED_MB = 450
REQUIREMENTS = {
    "run": ["requirements.txt"],
    "test": ["requirements.txt", "requirements-dev.txt"],
}
CA_BUNDLES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

# What the Qt wheels expect of the system: library, Debian's package, Fedora's package.
QT_LIBRARIES = [
    ("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    ("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    ("libgssapi_krb5.so.2", "libgssapi-krb5-2", "krb5-libs"),
    ("libGL.so.1", "libgl1", "libglvnd-glx"),
    ("libEGL.so.1", "libegl1", "libglvnd-egl"),
    ("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    ("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    ("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    ("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    ("libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
    ("libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor"),
    ("libwayland-egl.so.1", "libwayland-egl1", "libwayland-egl"),
]

# What the tests build a desktop from: program, Debian's package, Fedora's package.
DESKTOP_PROGRAMS = [
    ("Xvfb", "xvfb", "xorg-x11-server-Xvfb"),
    ("dbus-daemon", "dbus", "dbus-daemon"),
    ("dunst", "dunst", "dunst"),
    ("openbox", "openbox", "openbox"),
    ("setpriv", "util-linux", "util-linux"),
    ("trayer", "trayer", "trayer"),
    ("xdotool", "xdotool", "xdotool"),
    ("xfce4-panel", "xfce4-panel", "xfce4-panel"),
]

NETWORK_WORDS = (
    "NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "Temporary failure",
    "ProxyError", "ReadTimeoutError", "Could not resolve", "Could not connect", "Connection failed",
)  # fmt: skip

# Settings of the person's own pip that would send packages elsewhere or hide the progress.
FOREIGN_SETTINGS = (
    "PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_DRY_RUN",
    "PIP_NO_BINARY", "PIP_CONSTRAINT", "PIP_REQUIREMENT", "PIP_QUIET",
)  # fmt: skip


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
            set_up_alone(command)
        return run_app(rest) if command == "run" else run_tests(rest)
    except Hopeless as sentence:
        say(str(sentence))
    except OSError as error:
        say(explain(error))
    return 1


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def explain(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return disk_full()
    return "Set-up failed at {}: {}.".format(error.filename or VENV, error.strerror or error)


def disk_full() -> str:
    return "The disk is full: about {} MB are needed under {}.".format(NEEDED_MB, VENV)


def use_new_enough_python() -> None:
    """Hand over to a newer Python on the PATH where this one is too old."""
    if sys.version_info >= OLDEST:
        return
    for minor in range(20, OLDEST[1] - 1, -1):
        newer = find_program("python3.{}".format(minor))
        if newer:
            os.execv(newer, [newer, HERE] + sys.argv[1:])
    this = "{}.{}.{}".format(*sys.version_info[:3])
    raise Hopeless("Python 3.11 or newer is needed, this is {}.".format(this))


def find_program(name: str) -> Optional[str]:
    """What shutil.which does; a minimal Python has no shutil."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


# Knowing what is there


def venv_python() -> str:
    if os.name == "nt":
        return os.path.join(VENV, "Scripts", "python.exe")
    return os.path.join(VENV, "bin", "python")


def digest(command: str, with_qt: bool) -> str:
    """Changes whenever what is installed for a command would have to change."""
    content = hashlib.sha256(repr((sys.version_info[:3], ROOT, command, with_qt)).encode())
    for name in REQUIREMENTS[command]:
        content.update(read(os.path.join(ROOT, "packaging", name)))
    content.update(read(os.path.join(ROOT, "pyproject.toml")))
    content.update(read(HERE))
    return content.hexdigest()


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def is_set_up(command: str) -> bool:
    """Whether what a command needs, or more, was set up here before."""
    if not os.access(venv_python(), os.X_OK) or not os.path.exists(STAMP):
        return False
    done = read(STAMP).decode(errors="replace")
    enough = [(command, True), ("test", True)]
    if not needs_qt(command):
        enough.append((command, False))
    return any(digest(*one) == done for one in enough)


def needs_qt(command: str) -> bool:
    """Without a display the app runs headless; whoever may install is given all of it anyway."""
    return command == "test" or has_display() or is_root()


def has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"))


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


# Setting up


def set_up_alone(command: str) -> None:
    """Set up unless another start of this file has just done so."""
    with open(LOCK, "w") as lock:
        if os.name == "posix":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_set_up(command):
            set_up(command)


def set_up(command: str) -> None:
    say("Setting up Uptime Desktop in {} (once).".format(VENV))
    with_qt = needs_qt(command)
    install_system_packages(command, with_qt)
    make_venv()
    requirements = []  # type: List[str]
    for name in REQUIREMENTS[command]:
        requirements += ["-r", os.path.join(ROOT, "packaging", name)]
    say("Installing Python packages; the first time this downloads about 100 MB.")
    pip("--require-hashes", "--only-binary", ":all:", *requirements)
    # With its dependencies there, the project itself needs nothing more from anywhere.
    pip("--no-deps", "--no-build-isolation", "--no-index", "-e", ROOT)
    with open(STAMP, "w") as file:
        file.write(digest(command, with_qt))
    say("Done.")


def install_system_packages(command: str, with_qt: bool) -> None:
    apt, dnf = find_program("apt-get"), find_program("dnf")
    python = missing_python_packages(apt)
    parts = missing_libraries() if with_qt else []
    if command == "test":
        parts = parts + missing_programs()
    if not python and not parts:
        return
    if apt:
        packages = python + [part[1] for part in parts]
        install = [apt, "install", "-y", "-q", "--no-install-recommends"] + packages
        line = "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends {}'"
        line = line.format(" ".join(packages))
        quick = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15"]
        attempts = [install + quick, [apt, "update", "-q"] + quick, install + quick]
    elif dnf:
        packages = sorted({part[2] for part in parts})
        install = [dnf, "install", "-y", "-q"] + packages
        line = "sudo dnf install -y " + " ".join(packages)
        attempts = [install]
    else:
        names = " ".join(part[0] for part in parts)
        raise Hopeless("Install these, then run this again: " + names + ".")
    if not is_root():
        raise Hopeless("System packages are missing. Run this line, then start again: " + line)
    say("Installing system packages: " + " ".join(packages))
    outputs = []
    for attempt in attempts:
        code, output = run_showing(
            attempt,
            dict(os.environ, DEBIAN_FRONTEND="noninteractive"),
            lambda line: line.startswith(("Get:", "Setting up")),
        )
        outputs.append(output)
        if code == 0 and "install" in attempt:
            break
    else:
        what = "The system packages could not be installed"
        raise Hopeless(explain_failure(what, "\n".join(outputs)))
    if python:
        # The standard library has just grown; only a new start sees all of it.
        os.execv(sys.executable, [sys.executable, HERE] + sys.argv[1:])


def missing_python_packages(apt: Optional[str]) -> List[str]:
    """Debian splits the standard library over several packages."""
    needed = ("asyncio", "ctypes", "shutil", "sqlite3", "ssl", "zlib")
    lacking = [name for name in needed if not has_module(name)]
    lacking_venv = not (has_module("venv") and has_module("ensurepip"))
    if not lacking and not lacking_venv:
        return []
    own = os.path.realpath(sys.executable)
    if apt and own.startswith("/usr/bin/"):
        is_default = own == os.path.realpath("/usr/bin/python3")
        name = "python3" if is_default else "python{}.{}".format(*sys.version_info[:2])
        return ([name] if lacking else []) + ([name + "-venv"] if lacking_venv else [])
    parts = lacking + (["venv"] if lacking_venv else [])
    sentence = "This Python ({}) was built without {}; use one that has it."
    raise Hopeless(sentence.format(sys.executable, " and ".join(parts)))


def has_module(name: str) -> bool:
    extension = {"ctypes": "_ctypes", "sqlite3": "_sqlite3", "ssl": "_ssl"}
    return all(importlib.util.find_spec(part) for part in (name, extension.get(name, name)))


def missing_libraries() -> List[Tuple[str, str, str]]:
    if not sys.platform.startswith("linux"):
        return []
    if not has_module("ctypes"):
        return QT_LIBRARIES
    import ctypes

    missing = []
    for library in QT_LIBRARIES:
        try:
            ctypes.CDLL(library[0])
        except OSError:
            missing.append(library)
    return missing


def missing_programs() -> List[Tuple[str, str, str]]:
    if not sys.platform.startswith("linux"):
        return []
    return [program for program in DESKTOP_PROGRAMS if not find_program(program[0])]


def make_venv() -> None:
    """An environment whole, of exactly this Python and in this place; any other is replaced."""
    mark = repr((sys.version_info[:3], sys.executable, ROOT))
    is_whole = os.access(venv_python(), os.X_OK) and os.path.exists(MADE)
    if is_whole and read(MADE).decode(errors="replace") == mark:
        return
    import shutil

    if os.path.isdir(VENV):
        shutil.rmtree(VENV)
    command = [sys.executable, "-I", "-m", "venv", VENV]
    code, output = run_showing(command, clean_environment(), lambda _: False)
    if code:
        if shutil.disk_usage(ROOT).free < 50 * 2**20:
            raise Hopeless(disk_full())
        raise Hopeless(explain_failure("No virtual environment could be made", output))
    with open(MADE, "w") as file:
        file.write(mark)


def pip(*arguments: str) -> None:
    import shutil

    # Packages are unpacked beside where they go: one disk to run full, not two.
    scratch = os.path.join(VENV, "tmp")
    os.makedirs(scratch, exist_ok=True)
    try:
        code, output = run_showing(
            [venv_python(), "-I", "-m", "pip", "install", "--progress-bar", "off"]
            + ["--retries", "2", "--timeout", "15", *arguments],
            dict(clean_environment(), TMPDIR=scratch),
            lambda line: line.strip().startswith(("Downloading", "Installing")),
        )
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if code:
        raise Hopeless(explain_failure("The Python packages could not be installed", output))


def clean_environment() -> Dict[str, str]:
    environment = dict(
        os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PIP_USER="0"
    )
    for name in FOREIGN_SETTINGS:
        environment.pop(name, None)
    for bundle in CA_BUNDLES:
        if os.path.exists(bundle):
            environment.setdefault("PIP_CERT", bundle)
            environment.setdefault("SSL_CERT_FILE", bundle)
    return environment


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
        try:
            for raw in process.stdout or ():
                line = raw.decode(errors="replace").rstrip()
                lines.append(line)
                if is_worth_showing(line):
                    say("  " + line.strip()[:100])
        finally:
            process.terminate()
    if os.path.isdir(VENV):
        with open(LOG, "a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return process.returncode, "\n".join(lines)


def explain_failure(what: str, output: str) -> str:
    if "No space left on device" in output:
        return what + ". " + disk_full()
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
    if os.name != "nt":
        # Become the app, so that signals and the exit code are its own.
        os.execv(command[0], command)
    return subprocess.call(command)


def run_tests(arguments: List[str]) -> int:
    python = venv_python()
    lint_imports = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    steps = [
        ("ruff format", ["-m", "ruff", "format", "--check", "--quiet", "."]),
        ("ruff", ["-m", "ruff", "check", "--quiet", "."]),
        ("mypy", ["-m", "mypy"]),
        ("import-linter", ["-c", lint_imports]),
        ("pytest", ["-m", "pytest", *arguments]),
    ]
    for name, step in steps:
        say("== " + name)
        code = subprocess.call([python, *step], cwd=ROOT)
        if code:
            return code
    return 0


def stop(_number: int, _frame: object) -> None:
    sys.exit(143)


if __name__ == "__main__":
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    signal.signal(signal.SIGTERM, stop)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
