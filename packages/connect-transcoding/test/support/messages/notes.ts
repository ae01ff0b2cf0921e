import type { DescService } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { defineMessages, field } from "./define-messages.js";

const { types } = defineMessages([
  {
    name: "tags.proto",
    package: "tags",
    syntax: "proto3",
    messageType: [
      { name: "Note", field: [field("text", 1, Type.STRING), field("etag", 2, Type.STRING)] },
      { name: "UpdateRequest", field: [field("note", 1, Type.MESSAGE, { typeName: ".tags.Note" })] },
      { name: "DeleteRequest", field: [field("name", 1, Type.STRING), field("etag", 2, Type.STRING)] },
    ],
    service: [
      {
        name: "Notes",
        method: [
          { name: "Update", inputType: ".tags.UpdateRequest", outputType: ".tags.Note" },
          { name: "Delete", inputType: ".tags.DeleteRequest", outputType: ".tags.Note" },
        ],
      },
    ],
  },
]);
/** A service whose messages have entity tags (AIP-154). */
export const NOTES = types.getService("tags.Notes") as DescService;

/** The rules of its methods. */
export const NOTES_RULES = [
  { selector: "tags.Notes.Update", pattern: { case: "patch", value: "/v1/note" }, body: "note" },
  {
    selector: "tags.Notes.Delete",
    pattern: { case: "delete", value: "/v1/{name=notes/*}" },
    additionalBindings: [{ pattern: { case: "get", value: "/v1/{name=notes/*}" } }],
  },
] as const;
