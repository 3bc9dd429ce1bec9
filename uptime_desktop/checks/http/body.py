"""The beginning of an HTTP body, decoded, never longer than its limit whatever is sent."""

import codecs
import re
import zlib
from functools import lru_cache
from typing import Final

from uptime_desktop.checks.failure import Failed

# A millisecond or two of work.
_STEP_BYTES: Final = 1_048_576
_GZIP: Final = 31
_ZLIB: Final = 15
_RAW_DEFLATE: Final = -15
_WINDOW_BITS: Final = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}
_NAMED_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
# Others that Python knows are no charsets, or take hostile texts quadratic time.
_CHARSET: Final = re.compile(r"utf|ascii|iso8859|cp|koi8|gb|hz|big5|euc|shift_jis|iso2022|mac")


class Body:
    """Fed what comes over the wire. A bomb fills it and is then left alone.

    What is `pending` after that would take long: `go_on` decodes some more of it. It may be
    no bytes at all, where the decoder has read ahead.
    """

    __slots__ = ("_limit", "_window_bits", "_zlib", "decoded", "pending", "undecoded", "wire_bytes")

    def __init__(self, encoding: str, limit: int) -> None:
        encoding = encoding.strip().lower()
        self._limit = limit
        self._window_bits = _WINDOW_BITS.get(encoding, 0)
        self._zlib = zlib.decompressobj(self._window_bits) if self._window_bits else None
        self.decoded = bytearray()
        self.pending: bytes | None = None
        self.undecoded = "" if self._zlib or encoding in {"", "identity"} else encoding
        self.wire_bytes = 0

    @property
    def is_full(self) -> bool:
        """Nothing more is wanted; compressed bytes that yield nothing count too."""
        return len(self.decoded) >= self._limit or self.wire_bytes >= self._limit

    def feed(self, data: bytes) -> None:
        self.wire_bytes += len(data)
        if self._zlib is None:
            self.decoded += data[: self._limit - len(self.decoded)]
        else:
            self.pending = data
            self.go_on()

    def go_on(self) -> None:
        data = self.pending
        stop = min(self._limit, len(self.decoded) + _STEP_BYTES)
        while data is not None and len(self.decoded) < stop:
            data = self._inflate(data, stop - len(self.decoded))
        self.pending = data if stop < self._limit else None

    def _inflate(self, data: bytes, most: int) -> bytes | None:
        """Decode what fits and return what is left, None if nothing is."""
        assert self._zlib is not None
        try:
            piece = self._zlib.decompress(data, most)
        except zlib.error:
            if self._window_bits == _ZLIB and not self.decoded:
                # Some servers mean the bare format by "deflate".
                self._window_bits = _RAW_DEFLATE
                self._zlib = zlib.decompressobj(_RAW_DEFLATE)
                return data
            raise Failed("the compressed body is damaged") from None
        self.decoded += piece
        if self._zlib.eof:
            rest = self._zlib.unused_data
            self._zlib = zlib.decompressobj(self._window_bits)
            return rest if rest and self._window_bits == _GZIP else None
        return self._zlib.unconsumed_tail if len(piece) == most else None


@lru_cache(maxsize=256)
def charset_of(content_type: str) -> str:
    """The charset a Content-Type names, if it is one we can use; otherwise UTF-8."""
    named = _NAMED_CHARSET.search(content_type)
    if named is None:
        return "utf-8"
    try:
        name = codecs.lookup(named[1]).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if _CHARSET.match(name) else "utf-8"
