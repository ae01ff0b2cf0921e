import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** The TypeScript files under a folder, as paths from the root. */
function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

/** What a file imports: paths from the root for our own, names for packages. */
function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const specifiers = [...source.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|\bimport\("([^"]+)"\)/gm)];
  return specifiers
    .map((match) => match[1] ?? match[2] ?? "")
    .map((name) => (name.startsWith(".") ? sourceOf(relative(ROOT, join(ROOT, dirname(file), name))) : name));
}

/** The file that an import stands for: it names what the compiler makes of it. */
function sourceOf(path: string): string {
  const source = path.replace(/\.js$/, ".ts");
  return existsSync(join(ROOT, source)) ? source : source.replace(/\.ts$/, ".tsx");
}

interface Room {
  readonly name: string;
  readonly holds: RegExp;
  /** Our own files that it may import besides its own. */
  readonly mayImport: readonly RegExp[];
}

/** What everybody may use. */
const RESULT = /^src\/(result|data-source|bounded-cache)\.ts$/;
const FILES = /^src\/files\//;
const CONFIG = /^src\/config\//;
const RPC = /^src\/rpc\//;
const TRANSCODING = /^src\/transcoding\//;
const DOORS = /^src\/doors\//;
const OPENAPI = /^src\/openapi\//;
const CLIENT = /^src\/client\//;
const SERVER = /^src\/server\//;
const COMMAND_LINE = /^src\/command-line\//;
const TELEMETRY = /^src\/telemetry\//;
const GENERATED = /^gen\//;
const STANDARD_PROTOS = /^gen\/(google|grpc|health)\//;
const COMMAND_PROTOS = /^gen\/utilitytools\/command\//;
const RPC_PROTOS = /^gen\/utilitytools\/rpc\//;
const TRANSCODING_PROTOS = /^gen\/utilitytools\/transcoding\//;

/** What the workbench shares with the service: what reads descriptors, and runs in a browser as well as in Node. */
const FOR_BROWSERS =
  /^src\/(transcoding\/(answer-body|http-body|http-rule|well-known-types)|openapi\/(comments|field-surface)|rpc\/code-name)\.ts$/;

/** The rooms of the house; the first that holds a file is its room. */
const ROOMS: readonly Room[] = [
  { name: "result", holds: RESULT, mayImport: [] },
  { name: "config", holds: CONFIG, mayImport: [RESULT] },
  { name: "files", holds: FILES, mayImport: [RESULT] },
  { name: "access", holds: /^src\/access\//, mayImport: [RESULT, RPC, FILES, STANDARD_PROTOS] },
  { name: "rpc", holds: RPC, mayImport: [RESULT, STANDARD_PROTOS, RPC_PROTOS] },
  {
    name: "a tool's service",
    holds: /^src\/tools\/[^/]+\/[^/]+-service\.ts$/,
    mayImport: [RESULT, FILES, RPC, STANDARD_PROTOS, /^gen\/utilitytools\/v1\//],
  },
  {
    name: "what reads a tool's files",
    holds: /^src\/tools\/[^/]+\/load-[^/]+\.ts$/,
    mayImport: [RESULT, FILES],
  },
  { name: "a tool", holds: /^src\/tools\/[^/]+\//, mayImport: [RESULT] },
  { name: "transcoding", holds: TRANSCODING, mayImport: [RESULT, RPC, STANDARD_PROTOS, TRANSCODING_PROTOS] },
  {
    name: "openapi",
    holds: OPENAPI,
    mayImport: [RESULT, RPC, TRANSCODING, STANDARD_PROTOS, TRANSCODING_PROTOS],
  },
  { name: "telemetry", holds: TELEMETRY, mayImport: [RESULT, RPC, STANDARD_PROTOS] },
  { name: "doors", holds: DOORS, mayImport: [RESULT, RPC, TRANSCODING, STANDARD_PROTOS] },
  {
    name: "server",
    holds: SERVER,
    mayImport: [RESULT, FILES, RPC, TRANSCODING, OPENAPI, DOORS, STANDARD_PROTOS],
  },
  {
    name: "command line",
    holds: COMMAND_LINE,
    mayImport: [
      RESULT,
      CONFIG,
      CLIENT,
      RPC,
      TRANSCODING,
      OPENAPI,
      STANDARD_PROTOS,
      TRANSCODING_PROTOS,
      COMMAND_PROTOS,
      RPC_PROTOS,
    ],
  },
  { name: "documentation", holds: /^src\/documentation\.ts$/, mayImport: [OPENAPI] },
  {
    name: "the table of tools",
    holds: /^src\/load-tools\.ts$/,
    mayImport: [RESULT, FILES, RPC, CONFIG, /^src\/tools\//, /^gen\/services\.ts$/],
  },
  { name: "client", holds: CLIENT, mayImport: [GENERATED] },
  {
    name: "workbench",
    holds: /^src\/workbench\//,
    mayImport: [
      RESULT,
      FOR_BROWSERS,
      CLIENT,
      STANDARD_PROTOS,
      /^gen\/(utilitytools\/|services\.ts$|comments\.json$)/,
      /^data\/(native-names|world-map)\.json$/,
    ],
  },
  { name: "process", holds: /^src\/process\//, mayImport: [RESULT] },
  {
    name: "main",
    holds: /^src\/(main|serve|run-service-command|run-tools|print-openapi)\.ts$/,
    mayImport: [/^src\//, /^gen\/services\.ts$/],
  },
];

const roomOf = (file: string) => ROOMS.find(({ holds }) => holds.test(file));

/** The folder whose files a file may always import: its tool's, or its room's. */
function homeOf(file: string): RegExp {
  const tool = /^src\/tools\/[^/]+\//.exec(file)?.[0];
  return tool === undefined ? (roomOf(file)?.holds ?? /^$/) : new RegExp(`^${tool}`);
}

describe.each(filesUnder("src").filter((file) => !file.endsWith(".d.ts")))("%s", (file) => {
  test("is in a room and imports nothing that the room must not know", () => {
    const room = roomOf(file);
    expect(room?.name).toBeDefined();
    const allowed = [homeOf(file), ...(room?.mayImport ?? [])];
    const ours = importsOf(file).filter((name) => /^(src|gen|data|test)\//.test(name));
    expect(ours.filter((name) => !allowed.some((pattern) => pattern.test(name)))).toEqual([]);
  });
});

describe("a tool's functions", () => {
  // The service file adapts messages, a load-… file reads files, a default-… file says where they are.
  const pure = filesUnder("src/tools").filter(
    (file) => !/(-service|\/load-[^/]+|\/default-[^/]+)\.ts$/.test(file),
  );
  const PURE_BUILTINS = ["node:net", "node:zlib"];

  test("exist", () => {
    expect(pure.length).toBeGreaterThan(20);
  });

  test.each(pure)("%s knows neither protobuf nor the system", (file) => {
    const impure = importsOf(file).filter(
      (name) =>
        (name.startsWith("node:") && !PURE_BUILTINS.includes(name)) ||
        name.startsWith("@bufbuild/") ||
        name.startsWith("@connectrpc/"),
    );
    expect(impure).toEqual([]);
    const source = readFileSync(join(ROOT, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    expect(source).not.toMatch(/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bfetch\(/);
  });
});

describe("the client", () => {
  // What it is made of for Node alone.
  const forAll = filesUnder("src/client").filter((file) => !file.endsWith("/node.ts"));

  test.each(forAll)("%s runs in a browser", (file) => {
    const foreign = importsOf(file).filter(
      (name) => name.startsWith("node:") || name === "@connectrpc/connect-node",
    );
    expect(foreign).toEqual([]);
  });
});

describe("the workbench", () => {
  const reached = new Set<string>();
  const reach = (file: string): void => {
    if (!reached.has(file)) {
      reached.add(file);
      for (const name of importsOf(file)) {
        if (/^(src|gen)\/.*\.tsx?$/.test(name)) {
          reach(name);
        }
      }
    }
  };
  for (const file of filesUnder("src/workbench").filter((name) => !name.endsWith(".d.ts"))) {
    reach(file);
  }

  test.each([...reached].filter((file) => file.startsWith("src/")))("%s runs in a browser", (file) => {
    expect(importsOf(file).filter((name) => name.startsWith("node:"))).toEqual([]);
  });
});

test("the engine's tests know no service of ours", () => {
  const files = [...filesUnder("test/transcoding"), ...filesUnder("test/doors")];
  expect(files.length).toBeGreaterThan(5);
  const known = files.flatMap((file) =>
    importsOf(file).filter((name) => /^(src\/tools|src\/load-tools|gen\/utilitytools\/v1)/.test(name)),
  );
  expect(known).toEqual([]);
});
