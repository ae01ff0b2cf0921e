import {
  create,
  createFileRegistry,
  createRegistry,
  type DescEnumValue,
  type DescField,
  type DescMethod,
  setExtension,
} from "@bufbuild/protobuf";
import {
  EnumValueOptionsSchema,
  FieldOptionsSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  MethodOptionsSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import {
  FieldDocsSchema,
  file_connecttranscoding_v1_options,
  HttpOptionsSchema,
  http,
  http_field,
  http_value,
  max_request_bytes,
} from "connect-transcoding/gen/connecttranscoding/v1/options_pb.js";
import { resolverOf } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import { enumValueName, fieldDocsOf, httpOptionsOf, maxRequestBytesOf } from "../../src/proto-options.js";
import { requestLimit } from "../../src/routes/rules/request-limit.js";

const OPTIONS = file_connecttranscoding_v1_options.proto.name;

interface Described {
  readonly method: DescMethod;
  readonly field: DescField;
  readonly value: DescEnumValue;
}

/**
 * A method, a field and an enum value with extensions 51001 and 51002, in a file with these imports. `common` makes the
 * file import another one, which imports the option file publicly or not.
 */
function describeWith(imports: readonly string[], common?: { readonly isPublic: boolean }): Described {
  const methodOptions = create(MethodOptionsSchema);
  setExtension(methodOptions, http, create(HttpOptionsSchema, { cacheControl: "no-store" }));
  setExtension(methodOptions, max_request_bytes, 1_000_000);
  const fieldOptions = create(FieldOptionsSchema);
  setExtension(fieldOptions, http_field, create(FieldDocsSchema, { required: true }));
  const valueOptions = create(EnumValueOptionsSchema);
  setExtension(valueOptions, http_value, "png");
  const file = {
    name: "test/file.proto",
    package: "test",
    syntax: "proto3",
    dependency: [...imports],
    messageType: [
      {
        name: "Thing",
        field: [{ name: "a", number: 1, type: Type.STRING, label: Label.OPTIONAL, options: fieldOptions }],
      },
    ],
    enumType: [{ name: "Format", value: [{ name: "FORMAT_PNG", number: 0, options: valueOptions }] }],
    service: [
      {
        name: "Things",
        method: [
          { name: "Get", inputType: ".test.Thing", outputType: ".test.Thing", options: methodOptions },
        ],
      },
    ],
  };
  const commonFile = {
    name: "test/common.proto",
    package: "test",
    syntax: "proto3",
    dependency: [OPTIONS],
    publicDependency: common?.isPublic === true ? [0] : [],
  };
  const resolve = resolverOf(file_connecttranscoding_v1_options);
  const files = createFileRegistry(
    create(FileDescriptorSetSchema, {
      file: [
        "google/protobuf/descriptor.proto",
        "google/protobuf/struct.proto",
        "google/rpc/code.proto",
        OPTIONS,
      ]
        .flatMap((name) => resolve(name)?.proto ?? [])
        .concat(create(FileDescriptorSetSchema, { file: [commonFile, file] }).file),
    }),
  );
  const registry = createRegistry(files);
  const method = registry.getService("test.Things")?.methods[0];
  const field = registry.getMessage("test.Thing")?.fields[0];
  const value = registry.getEnum("test.Format")?.values[0];
  if (method === undefined || field === undefined || value === undefined) {
    throw new Error("the declarations are in the file");
  }
  return { method, field, value };
}

function optionsOf({ method, field, value }: Described): unknown[] {
  return [
    httpOptionsOf(method).cacheControl,
    maxRequestBytesOf(method),
    fieldDocsOf(field).required,
    enumValueName(value),
  ];
}

describe("options of a proto file", () => {
  test("are read if the file imports the option file", () => {
    expect(optionsOf(describeWith([OPTIONS]))).toEqual(["no-store", 1_000_000, true, "png"]);
  });

  test("are read if an import of the file imports the option file publicly", () => {
    const described = describeWith(["test/common.proto"], { isPublic: true });
    expect(optionsOf(described)).toEqual(["no-store", 1_000_000, true, "png"]);
  });

  test("are ignored as extensions of another project if the file does not import the option file", () => {
    expect(optionsOf(describeWith([]))).toEqual(["", 0, false, undefined]);
    const described = describeWith(["test/common.proto"], { isPublic: false });
    expect(optionsOf(described)).toEqual(["", 0, false, undefined]);
  });
});

describe("options in code", () => {
  const { method } = describeWith([OPTIONS]);

  test("replace those of the proto file", () => {
    const options = httpOptionsOf(method, () => ({ parametersAnywhere: true }));
    expect([options.parametersAnywhere, options.cacheControl]).toEqual([true, ""]);
    expect(requestLimit(100, () => 200)(method)).toBe(200);
    expect(requestLimit(100, () => 0)(method)).toBe(100);
  });

  test("leave those of the proto file in place if undefined", () => {
    expect(httpOptionsOf(method, () => undefined).cacheControl).toBe("no-store");
    expect(requestLimit(100, () => undefined)(method)).toBe(1_000_000);
  });
});

test("the limit of a request is `readMaxBytes`, or the limit of its method where that is larger", () => {
  const [limited, unlimited] = [describeWith([OPTIONS]).method, describeWith([]).method];
  expect([65_536, 1_048_576].map((bytes) => requestLimit(bytes)(limited))).toEqual([1_000_000, 1_048_576]);
  expect([65_536, 1_048_576].map((bytes) => requestLimit(bytes)(unlimited))).toEqual([65_536, 1_048_576]);
});
