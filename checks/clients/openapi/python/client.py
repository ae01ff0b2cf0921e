"""Makes the calls of a file with the client that openapi-python-client generates, and prints the status and the data of each response."""

import base64
import enum
import importlib
import inspect
import json
import keyword
import os
import pkgutil
import re
import sys
import typing

import utility_tools_client.api
from utility_tools_client import AuthenticatedClient

client = AuthenticatedClient(
    base_url=os.environ["UTILITY_TOOLS_URL"],
    token=os.environ["UTILITY_TOOLS_API_KEY"],
    headers={"X-Forwarded-For": "8.8.8.8"},
)
MODULES = {
    info.name.rpartition(".")[2]: info.name
    for info in pkgutil.walk_packages(utility_tools_client.api.__path__, "utility_tools_client.api.")
}


def alternatives(annotation):
    """Return the types of a union, or the only one."""
    return typing.get_args(annotation) or (annotation,)


def body_of(annotation, value):
    """Return the body in the type of a union that has all of its properties."""
    for model in alternatives(annotation):
        try:
            body = model.from_dict(value)
            if body.to_dict() == value:
                return body
        except (AttributeError, KeyError, ValueError):
            pass
    raise TypeError(f"{value} is no {annotation}")


def argument(annotation, value):
    enums = [each for each in alternatives(annotation) if inspect.isclass(each) and issubclass(each, enum.Enum)]
    return enums[0](value) if enums else value


def parameter_name(name):
    return f"{name}_" if keyword.iskeyword(name) or name in dir(__builtins__) else name


def plain(value):
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def send(call):
    snake = re.sub("([A-Z])", r"_\1", call["operationId"]).lower()
    function = importlib.import_module(MODULES[snake]).sync_detailed
    types = typing.get_type_hints(function)
    arguments = {
        parameter_name(name): argument(types[parameter_name(name)], value)
        for name, value in call.get("query", {}).items()
    }
    if "body" in call:
        arguments["body"] = body_of(types["body"], call["body"])
    response = function(client=client, **arguments)
    found = {"status": response.status_code.value}
    if response.parsed is None or isinstance(response.parsed, str):
        # The generator knows no media types of images, and returns texts and JSON of the same operation as text.
        found["body"] = base64.b64encode(response.content).decode()
    else:
        found["value"] = plain(response.parsed)
    return found


def is_right(pattern, examples):
    """Return whether a pattern is valid here, and matches its examples."""
    try:
        return all(re.search(pattern, example) for example in examples)
    except re.error:
        return False


def read(path):
    with open(path, encoding="utf8") as file:
        return json.load(file)


for call in read(sys.argv[1]):
    print(json.dumps(send(call)))
print(json.dumps([each for each in read(sys.argv[2]) if not is_right(each["pattern"], each["examples"])]))
