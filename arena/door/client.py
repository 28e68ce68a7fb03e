"""Hand in from a program: pack a folder, send it, and ask what became of it."""

from __future__ import annotations

import http.client
import io
import json
import os
import re
import secrets
import tarfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

from arena.errors import ArenaError

_LEFT_OUT: Final = frozenset({".git", ".hg", "__pycache__", ".venv", "node_modules", "target", "build"})
_ANSWER_SECONDS: Final = 130
_LARGEST_FOLDER: Final = 1 << 30
_TRIES: Final = 60
_HOST: Final = r"https?://(?:\[[\da-f:.]+\]|[^\s/?#:\[\]]+)(?::\d+)?"
_LINK: Final = re.compile(rf"({_HOST}(?:/[^\s?#]*?)?)/door/enter/([\w-]+)", re.ASCII | re.IGNORECASE)
"""It may have other text before and behind it, which was copied with it."""


def packed_path(path: Path) -> tuple[str, bytes]:
    """Return the name and the bytes of an upload: a file as it is, a folder as a tar.gz.

    Folders that tools make, such as ``__pycache__`` and ``target``, and all links are left out.
    """
    try:
        if not path.is_dir():
            return path.name, path.read_bytes()
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for folder, folders, files in os.walk(path):
                folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
                for name in sorted(files):
                    file = Path(folder, name)
                    if file.is_file() and not file.is_symlink():
                        archive.add(file, str(file.relative_to(path)))
                if buffer.tell() > _LARGEST_FOLDER:
                    raise ArenaError(f"{path}: the folder has more than 1 GiB; name the folder of the engine")
    except OSError as error:
        raise ArenaError(f"{path}: {error.strerror}") from error
    return f"{path.resolve().name or 'engine'}.tar.gz", buffer.getvalue()


class _Unreachable(ArenaError):
    """No server answers."""


@dataclass(frozen=True, slots=True)
class Door:
    """A door, as a participant sees it: the address of the server, and the participant's token."""

    address: str
    token: str

    @classmethod
    def of_link(cls, link: str, option: str = "--to") -> Self:
        """Return the door behind a link, which an option of a command has."""
        if (match := _LINK.search(link)) is not None:
            return cls(match[1], match[2])
        raise ArenaError(f"{option}: {link[:100]!a} is no link of a door, like https://HOST/door/enter/TOKEN")

    @property
    def link(self) -> str:
        """The address of the participant's own page, as the organiser gives it out."""
        return f"{self.address}/door/enter/{self.token}"

    def state(self) -> dict[str, Any]:
        """Return the last ``games`` of the participant's engine, and its ``places``."""
        return self._ask("")

    def hand_in(self, name: str, data: bytes) -> tuple[int, int]:
        """Send an upload; return the numbers of the submission and of the version."""
        boundary = secrets.token_hex(16)
        filename = quote(name, safe=" ()+,-.=@_")
        head = f'Content-Disposition: form-data; name="file"; filename="{filename}"'
        body = b"".join(
            (f"--{boundary}\r\n{head}\r\n\r\n".encode(), data, f"\r\n--{boundary}--\r\n".encode())
        )
        stored = self._ask("hand-in", body, f"multipart/form-data; boundary={boundary}")
        return int(stored["submission"]), int(stored["version"])

    def look(self, submission: int) -> dict[str, Any]:
        """Return the state of a submission and its lines. Wait if the server is started again meanwhile."""
        for _ in range(_TRIES):
            try:
                return self._ask(f"submissions/{submission}")
            except _Unreachable:
                time.sleep(1)
        return self._ask(f"submissions/{submission}")

    def _ask(self, place: str, body: bytes | None = None, content_type: str = "") -> dict[str, Any]:
        headers = {"accept": "application/json", "authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["content-type"] = content_type
        request = urllib.request.Request(f"{self.address}/door/{place}", body, headers)  # noqa: S310 - of_link checks the scheme
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as answer:  # noqa: S310 - as above
                values: dict[str, Any] = json.load(answer)
                return values
        except urllib.error.HTTPError as error:
            with error:
                text = sentence(error.read(10_000), str(error))
                raise ArenaError(f"the door at {self.address} answers: {text}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _Unreachable(f"{self.address}: cannot be reached: {reason}") from error


def sentence(body: bytes, status: str) -> str:
    """Return what a door says in an answer that refuses something, or its status if this is no sentence."""
    text = body.decode("utf-8", "replace").strip()
    try:
        return str(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return status if text.startswith("<") else text[:300] or status  # a proxy sends a page
