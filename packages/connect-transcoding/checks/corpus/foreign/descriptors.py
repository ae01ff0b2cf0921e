"""Writes a google.protobuf.FileDescriptorSet for each wheel of a folder that has services: `descriptors.py WHEELS OUTPUT`.

The generated modules are parsed and not imported: those of several packages need different versions of protobuf.
"""

import ast
import sys
import zipfile
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

# The wheels with what proto files of the others import.
COMMON = ("googleapis_common_protos", "protobuf")


def serialized_files(source):
    """The literals in calls such as AddSerializedFile(b"...") and FileDescriptor(serialized_pb=b"...")."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            is_add = getattr(node.func, "attr", "") == "AddSerializedFile"
            named = [each.value for each in node.keywords if each.arg == "serialized_pb"]
            for value in node.args if is_add else named:
                if isinstance(value, ast.Constant) and isinstance(value.value, bytes):
                    yield FileDescriptorProto.FromString(value.value)


def add_json_names(messages):
    """protoc leaves JSON names out of generated modules."""
    for message in messages:
        for field in message.field:
            first, *others = field.name.split("_")
            field.json_name = first + "".join(each[:1].upper() + each[1:] for each in others)
        add_json_names(message.nested_type)


def files_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        modules = [name for name in archive.namelist() if name.endswith("_pb2.py")]
        found = [file for name in modules for file in serialized_files(archive.read(name))]
    return {file.name: file for file in found}


def with_imports(own, common):
    """The files with services and what they import, each after its imports. Imports that a package lacks only define options."""
    known = {**own, **common}
    ordered = {}

    def add(name):
        file = known[name]
        if name not in ordered:
            dependencies = [each for each in file.dependency if each in known]
            for each in dependencies:
                add(each)
            del file.dependency[:], file.public_dependency[:], file.weak_dependency[:]
            file.dependency.extend(dependencies)
            add_json_names(file.message_type)
            ordered[name] = file

    for name, file in own.items():
        if file.service and not name.startswith("google/"):
            add(name)
    return FileDescriptorSet(file=ordered.values())


wheels, output = map(Path, sys.argv[1:])
by_project = {path.name.split("-")[0]: files_of(path) for path in sorted(wheels.glob("*.whl"))}
common = {name: file for each in COMMON for name, file in by_project.pop(each).items()}
for project, own in by_project.items():
    descriptors = with_imports(own, common)
    (output / f"{project}.binpb").write_bytes(descriptors.SerializeToString())
