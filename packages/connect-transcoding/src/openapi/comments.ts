import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescMessage,
  DescMethod,
  DescService,
} from "@bufbuild/protobuf";
import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from "@bufbuild/protobuf/wkt";

/** The comments in proto files by the full name of the declaration; an enum value has the name of its enum as a prefix. */
export type Comments = Readonly<Record<string, string>>;

type Commented = DescEnum | DescEnumValue | DescField | DescMessage | DescMethod | DescService;

/** The comment on a declaration in CommonMark, with the lines of each paragraph joined; empty without one. */
export function commentOn(desc: Commented, comments: Comments): string {
  const name = "typeName" in desc ? desc.typeName : `${desc.parent.typeName}.${desc.name}`;
  // Some renderers keep line breaks within a paragraph.
  return (comments[name] ?? "")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s*\n(?![-*] |\d+\. )\s*/g, " "))
    .join("\n\n");
}

/** The first sentence of a text, without its full stop or colon. */
export function firstSentence(text: string): string {
  const [paragraph = ""] = text.split("\n", 1);
  const end = /:(?=\s)|[.!?](?=\s+["'`(]?\p{Lu}|\s*$)/u.exec(paragraph)?.index;
  return paragraph.slice(0, end);
}

/** Joins the texts that are not empty. */
export function joinTexts(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text !== "").join(separator);
}

/**
 * Reads the comments of proto files with source info, as `buf build` and `protoc --include_source_info` write them. A
 * declaration has the comment before it, or the one after it on its line. Internal comments, `(-- … --)`, are left out
 * (https://google.aip.dev/192). Of a link to a declaration, such as `[Book][library.v1.Book]`, the text remains.
 */
export function commentsOf(files: Iterable<FileDescriptorProto>): Comments {
  const comments: Record<string, string> = {};
  for (const file of files) {
    const texts = new Map(
      (file.sourceCodeInfo?.location ?? []).map(({ path, leadingComments, trailingComments }) => [
        path.join(),
        cleaned(leadingComments) || cleaned(trailingComments),
      ]),
    );
    for (const { name, path } of declarationsOf(file)) {
      const text = texts.get(path.join());
      if (text !== undefined && text !== "") {
        comments[name] = text;
      }
    }
  }
  return comments;
}

function cleaned(comment: string): string {
  return comment
    .replaceAll(/\(--[\s\S]*?--\)/g, "")
    .replaceAll(/\[([^[\]]+)\]\[(?:\w+(?:\.\w+)+)?\]/g, "$1")
    .split("\n")
    .map((line) => line.replace(/^ /, "").trimEnd())
    .join("\n")
    .trim();
}

/** A declaration: its full name, and its path in the source info, which consists of field numbers and indexes. */
interface Declaration {
  readonly name: string;
  readonly path: readonly number[];
}

// The field numbers are those of google/protobuf/descriptor.proto.

function declarationsOf(file: FileDescriptorProto): Declaration[] {
  const root: Declaration = { name: file.package, path: [] };
  const services = within(root, 6, file.service).flatMap(([service, desc]) => [
    service,
    ...within(service, 2, desc.method).map(([method]) => method),
  ]);
  return [...messagesIn(root, 4, file.messageType), ...enumsIn(root, 5, file.enumType), ...services];
}

function messagesIn(
  parent: Declaration,
  number: number,
  messages: readonly DescriptorProto[],
): Declaration[] {
  return within(parent, number, messages).flatMap(([message, desc]) => [
    message,
    ...within(message, 2, desc.field).map(([field]) => field),
    ...messagesIn(message, 3, desc.nestedType),
    ...enumsIn(message, 4, desc.enumType),
  ]);
}

function enumsIn(parent: Declaration, number: number, enums: readonly EnumDescriptorProto[]): Declaration[] {
  return within(parent, number, enums).flatMap(([each, desc]) => [
    each,
    ...within(each, 2, desc.value).map(([value]) => value),
  ]);
}

/** The declarations in one field of their parent, with their descriptors. */
function within<T extends { readonly name: string }>(
  parent: Declaration,
  number: number,
  descs: readonly T[],
): [Declaration, T][] {
  return descs.map((desc, index) => [
    {
      name: parent.name === "" ? desc.name : `${parent.name}.${desc.name}`,
      path: [...parent.path, number, index],
    },
    desc,
  ]);
}
