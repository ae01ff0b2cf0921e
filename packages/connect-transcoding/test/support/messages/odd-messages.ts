import {
  Edition,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { defineMessages, field } from "./define-messages.js";

/** Messages of proto2 and of an edition, with features that proto3 does not have. */
export function oddMessages() {
  const part = { name: "Part", field: [field("a", 1, Type.BOOL)] };
  const shade = { typeName: ".test.Shade" };
  const entry = {
    name: "ShadesEntry",
    options: { mapEntry: true },
    field: [field("key", 1, Type.STRING), field("value", 2, Type.ENUM, shade)],
  };
  const features = (set: object) => ({ options: { features: set } });
  const proto2 = {
    name: "test/odd.proto",
    package: "test",
    syntax: "proto2",
    enumType: [{ name: "Shade", value: [3, 4].map((number) => ({ name: `SHADE_${number}`, number })) }],
    messageType: [
      {
        name: "Odd",
        nestedType: [part, entry],
        oneofDecl: [{ name: "choice" }],
        field: [
          field("text", 4, Type.STRING, { defaultValue: "some" }),
          field("count", 2, Type.INT32),
          field("unpacked", 3, Type.INT32, { label: Label.REPEATED }),
          field("part", 5, Type.GROUP, { typeName: ".test.Odd.Part" }),
          field("total", 6, Type.INT64, { options: { jstype: 1 } }),
          field("totals", 700, Type.SINT64, { label: Label.REPEATED, options: { jstype: 1, packed: true } }),
          field("strict", 8, Type.MESSAGE, { typeName: ".test.Strict" }),
          field("shade", 9, Type.ENUM, shade),
          field("shadeList", 10, Type.ENUM, { label: Label.REPEATED, ...shade }),
          field("shades", 11, Type.MESSAGE, { label: Label.REPEATED, typeName: ".test.Odd.ShadesEntry" }),
          field("chosenText", 12, Type.STRING, { oneofIndex: 0 }),
          field("chosenStrict", 13, Type.MESSAGE, { oneofIndex: 0, typeName: ".test.Strict" }),
          field("raw", 14, Type.BYTES, { defaultValue: "ab" }),
        ],
      },
      { name: "Own", field: [field("hasOwnProperty", 1, Type.STRING)] },
      { name: "Strict", field: [field("needed", 1, Type.INT32, { label: Label.REQUIRED })] },
    ],
  };
  const edition = {
    name: "test/edition.proto",
    package: "test.edition",
    syntax: "editions",
    edition: Edition.EDITION_2023,
    messageType: [
      {
        name: "Even",
        field: [
          field("explicit", 1, Type.INT32),
          field("implicit", 2, Type.INT32, features({ fieldPresence: 2 })),
          field("delimited", 3, Type.MESSAGE, {
            typeName: ".test.edition.Even",
            ...features({ messageEncoding: 2 }),
          }),
          field("last", 2 ** 29 - 1, Type.INT32),
        ],
      },
    ],
  };
  const { find } = defineMessages([proto2, edition]);
  return {
    odd: find("test.Odd"),
    own: find("test.Own"),
    strict: find("test.Strict"),
    even: find("test.edition.Even"),
  };
}
