import { parseArgs } from "node:util";
import { createRegistry, type DescService, type FileRegistry } from "@bufbuild/protobuf";
import { commentsOf } from "../openapi/comments.js";
import { openApiDocument } from "../openapi/document.js";
import { readFileSet, registryOf, toFileSet } from "../routes/input/descriptor-files.js";
import { readRules } from "../routes/input/rules-document.js";
import { createRouteTable } from "../routes/route-table.js";
import type { HttpRules } from "../routes/rules/http-rules.js";
import { requestLimit } from "../routes/rules/request-limit.js";

/** The help of the command. */
export const OPENAPI_USAGE = `Usage: connect-transcoding openapi --descriptor FILE [options]

Writes the OpenAPI document of the google.api.http rules in descriptor sets to standard output.
\`buf build --as-file-descriptor-set -o set.binpb\` writes one with comments, as does
\`protoc --include_imports --include_source_info --descriptor_set_out=set.binpb FILE\`.

  --descriptor FILE   a google.protobuf.FileDescriptorSet with all imports; several are joined
  --service NAME      the full name of a service; several can be given. Default: all with a rule
  --package NAME      a package, such as library.v1; several can be given. Default: all packages
  --title TEXT        the title of the document. Default: the packages of the services
  --api-version TEXT  the version of the API. Default: 1.0.0
  --openapi VERSION   the version of OpenAPI, 3.1 or 3.0. Default: 3.1
  --base-url URL      the URL of the server. Default: the URL of the document
  --rules FILE        rules that replace those in the proto files, as JSON: google.api.Http, or a
                      service configuration with it in "http"
  --help              shows this help
`;

const OPTIONS = {
  descriptor: { type: "string", multiple: true },
  service: { type: "string", multiple: true },
  package: { type: "string", multiple: true },
  title: { type: "string" },
  "api-version": { type: "string" },
  openapi: { type: "string" },
  "base-url": { type: "string" },
  rules: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Returns the OpenAPI document of the arguments as text, or the help. Throws a CommandFailure. */
export function openApiCommand(args: readonly string[], readFile: ReadFile): string {
  const options = readOptions(args);
  if (options.help === true) {
    return OPENAPI_USAGE;
  }
  const version = options.openapi ?? "3.1";
  if (version !== "3.1" && version !== "3.0") {
    throw new CommandFailure(64, `--openapi must be 3.1 or 3.0, and not '${version}'`);
  }
  const baseUrl = options["base-url"]?.replace(/\/+$/, "");
  if (baseUrl !== undefined && !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : "")) {
    throw new CommandFailure(64, "--base-url must be an HTTP or HTTPS URL");
  }
  if (options.descriptor === undefined) {
    throw new CommandFailure(64, "--descriptor is missing; --help lists the options");
  }
  const files = readDescriptors(options.descriptor, readFile);
  const services = ofPackages(selectServices(files, options.service), options.package);
  const rules = options.rules === undefined ? undefined : readRulesFile(options.rules, readFile);
  const bindings = readBindings(files, services, rules);
  const packages = new Set(bindings.map(({ method }) => method.parent.file.proto.package));
  try {
    const document = openApiDocument(
      bindings,
      {
        info: {
          title: options.title ?? [...packages].join(", "),
          version: options["api-version"] ?? "1.0.0",
          description: "",
        },
        comments: commentsOf([...files.files].map(({ proto }) => proto)),
        version,
      },
      { baseUrl, requestLimit: requestLimit() },
    );
    return `${JSON.stringify(document, null, 2)}\n`;
  } catch (thrown) {
    // The documentation in the files is invalid, such as an example that is no value of its field.
    throw new CommandFailure(65, messageOf(thrown));
  }
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (thrown) {
    // parseArgs explains in further sentences how to write what it rejects.
    const [problem = ""] = messageOf(thrown).split(/\. |\n/, 1);
    throw new CommandFailure(64, `${problem}; --help lists the options`);
  }
}

/** The services with these names, or all. */
function selectServices(files: FileRegistry, names: readonly string[] | undefined): DescService[] {
  const all = [...files].filter((each) => each.kind === "service");
  if (names === undefined) {
    return all;
  }
  return names.map((name) => {
    const found = all.find(({ typeName }) => typeName === name);
    if (found === undefined) {
      const known = all.map(({ typeName }) => typeName).join(", ");
      throw new CommandFailure(
        64,
        `'${name}' is not a service in the descriptors, which have: ${known || "none"}`,
      );
    }
    return found;
  });
}

/** Those of the services that are in these packages, or all. */
function ofPackages(
  services: readonly DescService[],
  names: readonly string[] | undefined,
): readonly DescService[] {
  const packageOf = ({ file }: DescService): string => file.proto.package;
  const unknown = names?.find((name) => !services.some((service) => packageOf(service) === name));
  if (unknown !== undefined) {
    const known = [...new Set(services.map(packageOf))].join(", ");
    throw new CommandFailure(
      64,
      `'${unknown}' is not a package of the services, which are in: ${known || "none"}`,
    );
  }
  return names === undefined ? services : services.filter((service) => names.includes(packageOf(service)));
}

function readBindings(files: FileRegistry, services: readonly DescService[], rules: HttpRules | undefined) {
  const methods = services.flatMap((service) => service.methods);
  try {
    const options = { unknownParameters: "reject", registry: createRegistry(files), rules } as const;
    const { bindings } = createRouteTable(methods, options);
    if (bindings.length === 0) {
      throw new Error("no method of the services has a google.api.http rule");
    }
    return bindings;
  } catch (thrown) {
    throw new CommandFailure(65, messageOf(thrown));
  }
}

/** Reads a file. Throws an Error for one that cannot be read. */
type ReadFile = (path: string) => Uint8Array;

/** Reads descriptor sets, and joins them. Of files with the same name, the last counts. Throws a CommandFailure. */
function readDescriptors(paths: readonly string[], readFile: ReadFile): FileRegistry {
  const files = paths.flatMap((path) => {
    const bytes = read(path, readFile);
    return convert(path, "is not a descriptor set", () => readFileSet(bytes));
  });
  const problem = "cannot be resolved; descriptor sets need all imports";
  return convert(paths.join("', '"), problem, () =>
    registryOf(
      toFileSet(files, (name) => {
        throw new Error(`there is no ${name}`);
      }),
    ),
  );
}

/** Reads the rules in a file of JSON; see {@link readRules}. Throws a CommandFailure. */
function readRulesFile(path: string, readFile: ReadFile): HttpRules {
  const text = new TextDecoder().decode(read(path, readFile));
  return convert(path, "is not a google.api.Http in JSON", () => readRules(JSON.parse(text)));
}

function read(path: string, readFile: ReadFile): Uint8Array {
  try {
    return readFile(path);
  } catch (thrown) {
    throw new CommandFailure(65, `'${path}' cannot be read: ${messageOf(thrown)}`);
  }
}

function convert<T>(path: string, problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof CommandFailure) {
      throw thrown;
    }
    throw new CommandFailure(65, `'${path}' ${problem}: ${messageOf(thrown)}`);
  }
}

/** The message of an Error, or the text of another value. */
function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A failure that the user can correct, with its exit status as in sysexits.h: 64 for invalid arguments, 65 for an invalid file. */
export class CommandFailure extends Error {
  constructor(
    readonly status: 64 | 65,
    message: string,
  ) {
    super(message);
  }
}
