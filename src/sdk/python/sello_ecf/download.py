"""A file of the service: a printed document, signed XML, evidence or an export."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import IO, Any, Optional, Union
from urllib.parse import unquote

from .transport import Answer

# Larger files wait on the disk. Units: bytes.
_IN_MEMORY_MAX = 1 << 20


class Download:
    """A whole file. Large ones wait in a temporary file, which ends with this object."""

    def __init__(self, answer: Answer) -> None:
        self.content_type: str = answer.headers.get("content-type", "application/octet-stream")
        self.etag: Optional[str] = answer.headers.get("etag")
        self.filename: Optional[str] = _name(answer.headers.get("content-disposition", ""))
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY_MAX)
        for chunk in answer.chunks:
            self._file.write(chunk)

    def read(self) -> bytes:
        """The whole content."""
        self._file.seek(0)
        return self._file.read()

    def text(self) -> str:
        return self.read().decode("utf-8")

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the file. An existing file is replaced only by a whole one."""
        target = os.fspath(path)
        partial = "%s.%d.part" % (target, os.getpid())
        try:
            with open(partial, "wb") as file:
                self._file.seek(0)
                shutil.copyfileobj(self._file, file)
            os.replace(partial, target)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise

    def close(self) -> None:
        """Ends the temporary file. Otherwise it ends with this object."""
        self._file.close()

    def __del__(self) -> None:
        # The file is missing when the answer was cut.
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()

    def __repr__(self) -> str:
        return "Download(%r, %r)" % (self.filename, self.content_type)


def _name(disposition: str) -> Optional[str]:
    """The file's name without folders. Source: RFC 6266."""
    found: Any = None
    for part in disposition.split(";")[1:]:
        name, _, value = part.strip().partition("=")
        if name.lower() == "filename*":
            return os.path.basename(unquote(value.rpartition("'")[2])) or None
        if name.lower() == "filename":
            found = os.path.basename(value.strip('"'))
    return found or None
