"""Sends a notification with buttons and prints which one was pressed."""

import asyncio

from desktop_notifier import Button, DesktopNotifier


async def main() -> None:
    pressed: asyncio.Queue[str] = asyncio.Queue()
    notifier = DesktopNotifier(app_name="Sample")
    await notifier.send(
        title="shop is down",
        message="Connection refused",
        buttons=[
            Button("Open", on_pressed=lambda: pressed.put_nowait("open")),
            Button("Mute", on_pressed=lambda: pressed.put_nowait("mute")),
        ],
        on_dismissed=lambda: pressed.put_nowait("dismissed"),
    )
    print(await pressed.get(), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
