import {
  create,
  createFileRegistry,
  type DescMessage,
  type FileRegistry,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  type FieldDescriptorProtoSchema,
  type FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  type FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";

/** A field of a test message: optional, and with its name as its JSON name, unless `more` overrides that. */
export function field(
  name: string,
  number: number,
  type: Type,
  more: MessageInitShape<typeof FieldDescriptorProtoSchema> = {},
) {
  return { name, jsonName: name, number, type, label: Label.OPTIONAL, ...more };
}

/** Creates the types of test files, and a function that finds a message by its full name. */
export function defineMessages(files: readonly MessageInitShape<typeof FileDescriptorProtoSchema>[]): {
  readonly types: FileRegistry;
  readonly find: (name: string) => DescMessage;
} {
  const types = createFileRegistry(create(FileDescriptorSetSchema, { file: [...files] }));
  const find = (name: string): DescMessage => {
    const desc = types.getMessage(name);
    if (desc === undefined) {
      throw new Error(`${name} is in no file of the test`);
    }
    return desc;
  };
  return { types, find };
}
