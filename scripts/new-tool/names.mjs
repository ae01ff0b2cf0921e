/** Words of the command line and of the page, and members of the client, which a tool cannot have as its name. */
const RESERVED = [
  "serve",
  "help",
  "version",
  "make-key",
  "export",
  "mcp",
  "update-data",
  "myip",
  "overview",
  "close",
  "then",
];
const MAX_LENGTH = 32;

/** Returns the forms of a name: `mime-type`, `mime_type`, `mimeType`, `MimeType` and `Mime type`. */
export function namesOf(kebab) {
  const Pascal = kebab.replaceAll(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
  const Title = kebab[0].toUpperCase() + kebab.slice(1).replaceAll("-", " ");
  const camel = kebab[0] + Pascal.slice(1);
  return { kebab, snake: kebab.replaceAll("-", "_"), camel, Pascal, Title };
}

/** Returns why a text cannot be the name of a new tool; undefined if it can. `protos` are the texts of the proto files, by name. */
export function nameProblem(name, protos) {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) {
    return "it must have lower-case letters only, with hyphens between words, for example mime-type";
  }
  const { snake, camel, Pascal } = namesOf(name);
  const text = Object.values(protos).join("\n");
  const isDeclared = new RegExp(
    `^(service|message|enum) (${Pascal}(Service|Result)|(Batch)?Convert${Pascal}\\w*) `,
    "m",
  );
  const problems = {
    [`it must have at most ${MAX_LENGTH} characters`]: name.length > MAX_LENGTH,
    "it is reserved": RESERVED.includes(name) || camel in {},
    "there is a proto file of this name": Object.keys(protos).some(
      (each) => each.replaceAll("_", "") === snake.replaceAll("_", ""),
    ),
    "there is a command of this name": new RegExp(`^ *name: "${name}[" ]`, "m").test(text),
    [`there is a route /v1/${camel}`]: new RegExp(`"/v1/${camel}[":/]`).test(text),
    "there is a declaration of this name in a proto file": isDeclared.test(text),
  };
  return Object.keys(problems).find((problem) => problems[problem]);
}
