"""Calls a tool in each kind of revision with the official client."""

import asyncio
import sys

from mcp import Client


async def main(url: str) -> None:
    for mode in ["legacy", "2026-07-28"]:
        async with Client(url, mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool(names[0], {})
            wrong = await client.call_tool(names[0], {"x": "y"})
            print(result.content[0].text, wrong.is_error)


asyncio.run(main(sys.argv[1]))
