"""A stand-in for ``docker`` where no daemon answers: it runs the steps of a Dockerfile in bubblewrap.

    python docker_in_bwrap.py STATE build --tag NAME [--file FILE] FOLDER
    python docker_in_bwrap.py STATE run [OPTION…] NAME [ARGUMENT…]

It needs root. Every image of Python is this machine's system with the Python of these tests. Nothing is
downloaded: ``apt-get install`` takes packages of `tests.tools` that are installed, and ``pip`` links the
locked packages from the environment of the tests, if they have the locked versions. A container has a
read-only root, namespaces of processes and of the network, and few rights. Unless ``systempaths=unconfined``,
parts of its ``/proc`` are masked, which keeps bubblewrap from working there as in a container of Docker.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = "/packages"
SHIMS = "/shims"
RIGHTS = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID")
BASE_PATH = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "login.defs", "nsswitch.conf", "ssl")
RELAY = """
import os, socket, sys, threading
one = socket.create_connection(("127.0.0.2", int(sys.argv[1])))
def up():
    while data := os.read(0, 65536):
        one.sendall(data)
    one.shutdown(socket.SHUT_WR)
threading.Thread(target=up, daemon=True).start()
while data := one.recv(65536):
    while data:
        data = data[os.write(1, data):]
"""
"""Carries one connection into the network of a container, where a server on 127.0.0.1 does not get it."""


@dataclass
class Image:
    """A root folder, and what is set for its containers."""

    root: str
    env: dict[str, str] = field(default_factory=lambda: {"PATH": BASE_PATH})
    user: str = "root"
    folder: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)


def build(state: Path, text: str, context: Path, tag: str) -> None:
    """Run the steps of a Dockerfile, and store the image of the last stage."""
    stages: dict[str, Image] = {}
    image: Image | None = None
    for number, step in enumerate(re.sub(r"\\\n", "", text).splitlines()):
        word, _, rest = step.partition(" ")
        if not word or word.startswith("#"):
            continue
        if word == "FROM":
            name, _, stage = rest.partition(" AS ")
            image = start(state, name, state / f"{tag}-{number}")
            stages[stage] = image
            continue
        assert image is not None, "FROM is first"
        if word == "RUN":
            check_packages(rest)
            command = [*words(image, build=True), "--chdir", image.folder, "--", "sh", "-e", "-c", rest]
            subprocess.run(command, check=True, env=image.env | {"PATH": f"{SHIMS}:{image.env['PATH']}"})
        elif word == "COPY":
            copy(image, rest, stages, context)
        elif word == "ENV":
            key, _, value = rest.partition("=")
            image.env[key] = value
        elif word == "USER":
            image.user = rest
        elif word == "WORKDIR":
            image.folder = rest
            inside(image, rest).mkdir(parents=True, exist_ok=True)
        elif word == "VOLUME":
            image.volumes.append(rest)
        elif word == "ENTRYPOINT":
            image.entrypoint = json.loads(rest)
        else:
            assert word == "EXPOSE", f"no such step: {step}"
    assert image is not None
    (state / f"{tag}.json").write_text(json.dumps(asdict(image)))


def start(state: Path, name: str, root: Path) -> Image:
    """Return a new image that begins as another one."""
    if not name.startswith("python:"):
        image = Image(**json.loads((state / f"{name}.json").read_text()))
        shutil.copytree(image.root, root, symlinks=True)
        for folder, _, _ in os.walk(image.root):
            owner = Path(folder).stat()
            os.chown(root / Path(folder).relative_to(image.root), owner.st_uid, owner.st_gid)
        image.root = str(root)
        return image
    for folder in (
        "etc",
        "tmp",
        "home",
        sys.base_prefix.lstrip("/"),
    ):  # bubblewrap would make some for root alone
        (root / folder).mkdir(parents=True)
    root.chmod(0o755)
    for name in ("bin", "sbin", "lib", "lib64"):
        if Path("/", name).is_symlink():
            (root / name).symlink_to(Path("/", name).readlink())
    for name in ETC:
        if Path("/etc", name).is_dir():
            shutil.copytree(
                Path("/etc", name), root / "etc" / name, symlinks=True, ignore_dangling_symlinks=True
            )
        elif Path("/etc", name).exists():
            shutil.copy(Path("/etc", name), root / "etc")
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    return Image(str(root))


def inside(image: Image, path: str) -> Path:
    """Return where a path of an image is on this machine."""
    return Path(image.root, Path("/", image.folder, path).relative_to("/"))


def check_packages(step: str) -> None:
    """Refuse a step that installs what this machine does not have."""
    from tests.tools import TOOLS, find

    have = {package for name, tool in TOOLS.items() if find(name) for package in tool.packages.split()}
    for command in re.findall(r"apt-get install ([^&]*)", step):
        wanted = {word for word in shlex.split(command) if not word.startswith("-")}
        assert wanted <= have, f"not installed here: {wanted - have}"


def copy(image: Image, rest: str, stages: dict[str, Image], context: Path) -> None:
    """Copy what COPY names: from another stage, or from the context without what .dockerignore leaves out."""
    *options, source, target = rest.split()
    if options:
        (stage,) = (option.removeprefix("--from=") for option in options)
        shutil.copytree(inside(stages[stage], source), inside(image, target), symlinks=True)
        return
    ignored = (context / ".dockerignore").read_text().splitlines()
    found = context / source
    for folder, folders, files in os.walk(found) if found.is_dir() else [(str(context), [], [source])]:
        here = Path(folder).relative_to(context)
        folders[:] = [name for name in folders if name not in (".git", ".venv")]
        for name in files:
            if not leaves_out(ignored, here / name):
                path = inside(image, target) / (here / name) if found.is_dir() else inside(image, target)
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(folder, name), path)


def leaves_out(patterns: list[str], path: Path) -> bool:
    """Whether a .dockerignore leaves a file out: the last line that fits it, or a folder of it, decides."""
    names = [str(path), *map(str, path.parents)]
    out = False
    for line in patterns:
        pattern = line.removeprefix("!")
        tails = [pattern, pattern.replace("**/", "", 1), pattern.replace("**/", "*/", 1)]
        if pattern and not line.startswith("#") and any(fnmatch.filter(names, tail) for tail in tails):
            out = not line.startswith("!")
    return out


def words(image: Image, *, build: bool = False) -> list[str]:
    """Return the words before a command in this image."""
    bind = "--bind" if build else "--ro-bind"
    result = [
        "bwrap",
        "--die-with-parent",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-net",
    ]
    result += ["--cap-drop", "ALL", *(word for right in RIGHTS for word in ("--cap-add", f"CAP_{right}"))]
    result += [bind, image.root, "/", "--ro-bind", "/usr", "/usr", "--ro-bind-try", "/sys", "/sys"]
    if sys.base_prefix != "/usr":
        result += ["--ro-bind", sys.base_prefix, "/usr/local"]
        result += ["--ro-bind", sys.base_prefix, sys.base_prefix]  # it may have a shared library
    for name in ("bin", "sbin", "lib", "lib64"):
        if not Path("/", name).is_symlink():
            result += ["--ro-bind-try", f"/{name}", f"/{name}"]
    result += ["--ro-bind", sysconfig.get_path("purelib"), PACKAGES, "--dev", "/dev", "--proc", "/proc"]
    if build:
        return [*result, "--ro-bind", str(Path(image.root).parent / "shims"), SHIMS]
    return [*result, "--perms", "1777", "--tmpfs", "/tmp", "--clearenv", "--setenv", "HOME", "/home/arena"]


def run(state: Path, arguments: list[str]) -> int:
    """Run a container until it ends; it gets the signals that this process gets."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for flag in ("--rm", "--init"):
        parser.add_argument(flag, action="store_true")
    for option in ("--volume", "--publish", "--security-opt"):
        parser.add_argument(option, action="append", default=[])
    for option in ("--user", "--entrypoint", "--network"):
        parser.add_argument(option)
    parser.add_argument("image")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    image = Image(**json.loads((state / f"{given.image}.json").read_text()))
    command = words(image)
    mounts = {folder: tempfile.mkdtemp(dir=state) for folder in image.volumes}
    for folder, fresh in mounts.items():
        owner = inside(image, folder).stat()
        os.chown(fresh, owner.st_uid, owner.st_gid)
    mounts |= {there: here for here, there in (volume.split(":") for volume in given.volume)}
    command += [word for there, here in mounts.items() for word in ("--bind", here, there)]
    command += [word for pair in image.env.items() for word in ("--setenv", *pair)]
    ready, told = os.pipe()
    command += ["--chdir", image.folder, "--info-fd", str(told), *([] if given.init else ["--as-pid-1"])]
    if "systempaths=unconfined" in given.security_opt:  # bubblewrap masks some of /proc: mount it anew
        command += [
            "--cap-add",
            "CAP_SYS_ADMIN",
            "--",
            "sh",
            "-c",
            'mount -t proc proc /proc; exec "$@"',
            "sh",
        ]
    else:
        command += ["--"]
    command += ["setpriv", *become(image, given.user or image.user)]
    command += [given.entrypoint] if given.entrypoint else image.entrypoint
    with subprocess.Popen([*command, *given.arguments], pass_fds=[told]) as process:
        os.close(told)
        with os.fdopen(ready) as stream:
            first = json.load(stream)["child-pid"]
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(main_process(first, given.init), number))
        for address in given.publish:
            host, port, inner = address.split(":")
            listener = socket.create_server((host, int(port)))
            threading.Thread(target=publish, args=(listener, first, inner), daemon=True).start()
        return process.wait()


def become(image: Image, user: str) -> list[str]:
    """Return the options of setpriv for a user: its name, or its number and that of its group."""
    number, _, group = user.partition(":")
    for line in inside(image, "/etc/passwd").read_text().splitlines():
        name, _, its_number, its_group, *_ = line.split(":")
        if number == name:
            number, group = its_number, its_group
    return [f"--reuid={number}", f"--regid={group}", "--clear-groups", "--inh-caps=-all", "--"]


def main_process(first: int, init: bool) -> int:
    """Return the process that gets a container's signals."""
    return int(Path(f"/proc/{first}/task/{first}/children").read_text().split()[0]) if init else first


def publish(listener: socket.socket, first: int, port: str) -> None:
    """Carry each connection to a port of the container."""
    enter = ["nsenter", f"--net=/proc/{first}/ns/net", "--", sys.executable, "-c", RELAY, port]
    while True:
        one = listener.accept()[0]
        subprocess.Popen(enter, stdin=one.dup(), stdout=one, stderr=subprocess.DEVNULL)
        one.close()


def pip(arguments: list[str]) -> None:
    """Do what ``pip --python PYTHON install`` does, without a download; it runs in the root of an image."""
    from importlib.metadata import distributions

    from packaging.requirements import Requirement

    _, python, *_ = arguments
    site = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    target = Path(subprocess.run(site, capture_output=True, text=True, check=True).stdout.strip())
    if "--requirement" not in arguments:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "/tmp/wheel"], check=True
        )
        (wheel,) = Path("/tmp/wheel").glob("*.whl")
        options = ["--no-deps", "--no-index", "--quiet", "--ignore-installed", "--root-user-action=ignore"]
        command = [sys.executable, "-m", "pip", "--python", python, "install", *options, str(wheel)]
        subprocess.run(command, check=True)
        return
    have = {one.name.lower().replace("_", "-"): one for one in distributions(path=[PACKAGES])}
    for line in Path(arguments[arguments.index("--requirement") + 1]).read_text().splitlines():
        pin = Requirement(line.removesuffix("\\")) if line[:1].isalnum() else None
        if pin is None or (pin.marker and not pin.marker.evaluate()):
            continue
        found = have[pin.name]
        assert pin.specifier.contains(found.version), f"{pin}, but the tests have {found.version}"
        for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (target / name).exists():
                (target / name).symlink_to(Path(PACKAGES, name))


def main() -> int:
    """Read the command line."""
    sys.path.insert(0, str(ROOT))
    state, command, *arguments = sys.argv[1:]
    if command == "pip":
        pip(arguments)
        return 0
    if command == "run":
        return run(Path(state), arguments)
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--tag", required=True)
    parser.add_argument("--file", type=Path)
    parser.add_argument("context", type=Path)
    given = parser.parse_args(arguments)
    shims = Path(state, "shims")
    shims.mkdir(exist_ok=True)
    shutil.copy(__file__, shims / "docker.py")
    python = f"exec env PYTHONPATH={PACKAGES} python3 {SHIMS}/docker.py . pip"
    for name, line in {"apt-get": "exit 0", "python": "exec python3", "pip": python}.items():
        (shims / name).write_text(f'#!/bin/sh\n{line} "$@"\n')
        (shims / name).chmod(0o755)
    build(Path(state), (given.file or given.context / "Dockerfile").read_text(), given.context, given.tag)
    return 0


if __name__ == "__main__":
    sys.exit(main())
