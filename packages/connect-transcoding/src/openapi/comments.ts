import type { DescEnum, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";

/** The comments of a schema by the full names of what they are on; an enum value has its enum's name before its own. */
export type Comments = Readonly<Record<string, string>>;

/** What a comment can be on. */
type Commented = DescEnum | DescEnum["values"][number] | DescField | DescMessage | DescMethod | DescService;

/** The comment on a declaration in CommonMark, its lines joined to paragraphs; empty where there is none. */
export function commentOn(desc: Commented, comments: Comments): string {
  const name = "typeName" in desc ? desc.typeName : `${desc.parent.typeName}.${desc.name}`;
  return joinLines(comments[name] ?? "");
}

/** The first sentence of a text, up to its full stop or a colon. */
export function firstSentence(text: string): string {
  const [paragraph = ""] = text.split("\n", 1);
  const end = /:(?=\s)|[.!?](?=\s+["'`(]?\p{Lu}|\s*$)/u.exec(paragraph)?.index;
  return paragraph.slice(0, end);
}

/** Renderers take a line break within a paragraph for one, where comments have it for the width of their lines. */
function joinLines(comment: string): string {
  return comment
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replaceAll(/\s*\n(?![-*] |\d+\. )\s*/g, " "))
    .join("\n\n");
}
