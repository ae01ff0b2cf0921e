/** Words of the command line, and members of the client and of objects, which a tool cannot have as its name. */
const RESERVED = ["serve", "help", "version", "make-key", "update-data", "myip", "overview", "close", "then"];
const MAX_LENGTH = 32;

/** Returns the forms of a name: `mime-type`, `mime_type`, `mimeType`, `MimeType` and `Mime type`. */
export function namesOf(kebab) {
  const Pascal = kebab.replaceAll(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
  const words = kebab.replaceAll("-", " ");
  return {
    kebab,
    snake: kebab.replaceAll("-", "_"),
    camel: Pascal[0].toLowerCase() + Pascal.slice(1),
    Pascal,
    Title: words[0].toUpperCase() + words.slice(1),
  };
}

/** Returns why a text cannot be the name of a new tool; undefined if it can. `protos` are the texts of the proto files, by name. */
export function nameProblem(name, protos) {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) {
    return "it must have lower-case letters only, with hyphens between words, for example mime-type";
  }
  if (name.length > MAX_LENGTH) {
    return `it must have at most ${MAX_LENGTH} characters`;
  }
  const { snake, camel, Pascal } = namesOf(name);
  if (RESERVED.includes(name) || camel in {}) {
    return "it is reserved";
  }
  if (Object.keys(protos).some((each) => each.replaceAll("_", "") === snake.replaceAll("_", ""))) {
    return "there is a proto file of this name";
  }
  const text = Object.values(protos).join("\n");
  if (new RegExp(`^ *name: "${name}[" ]`, "m").test(text)) {
    return "there is a command of this name";
  }
  if (new RegExp(`"/v1/${camel}[":/]`).test(text)) {
    return `there is a route /v1/${camel}`;
  }
  const [, declared] =
    new RegExp(
      `^(?:service|message|enum) (${Pascal}(?:Service|Result)|(?:Batch)?Convert${Pascal}\\w*) `,
      "m",
    ).exec(text) ?? [];
  return declared === undefined ? undefined : `the package has a declaration ${declared}`;
}
