"""JSON in text columns: what it may hold and how it is read back."""

from collections.abc import Mapping
from typing import cast

import msgspec

from uptime_desktop.store.errors import StoreError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def json_text(value: object) -> str:
    """Compact JSON with the keys as they came."""
    return msgspec.json.encode(value).decode()


def json_value(text: str) -> Json:
    try:
        return cast(Json, msgspec.json.decode(text))
    except msgspec.DecodeError as error:
        raise StoreError(
            "the database holds a text that is not JSON: {error}", error=str(error)
        ) from error


def json_object(text: str) -> Mapping[str, Json]:
    value = json_value(text)
    if not isinstance(value, dict):
        raise StoreError("the database holds {text} where a JSON object should be", text=text)
    return value
