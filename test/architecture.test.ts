import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

// The packages enforce most boundaries: what a package does not export cannot be imported by its name. These tests cover
// the rest.

const ROOT = join(import.meta.dirname, "..");

/** The TypeScript sources under a folder, as paths from the root. */
function sourcesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** The imports of a file: paths from the root for relative ones, names for packages. */
function importsOf(file: string): string[] {
  const specifiers = [
    ...read(file).matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|\bimport\("([^"]+)"\)/gm),
  ];
  return specifiers
    .map((match) => match[1] ?? match[2] ?? "")
    .map((name) => (name.startsWith(".") ? join(dirname(file), name) : name));
}

/** What differs between runtimes, in the engine. Its package.json says which module it is in each. */
const PLATFORM = "#platform";

const PACKAGES = [
  "packages/http-server",
  "packages/connect-transcoding",
  "packages/operations",
  "client",
  "packages/gateway",
];
const SOURCES = [...PACKAGES.map((folder) => `${folder}/src`), "src"].flatMap(sourcesUnder);

describe("relative imports stay in their package", () => {
  test.each(PACKAGES)("%s", (folder) => {
    const foreign = sourcesUnder(`${folder}/src`).flatMap((file) =>
      importsOf(file)
        .filter((name) => /^(?:\.\.|src|gen|packages)\//.test(name) && !name.startsWith(`${folder}/`))
        .map((name) => `${file} imports ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  test("the service", () => {
    const foreign = sourcesUnder("src").flatMap((file) =>
      importsOf(file)
        .filter((name) => /^(?:gen|packages)\//.test(name))
        .map((name) => `${file} imports ${name}; use the name of the package`),
    );
    expect(foreign).toEqual([]);
  });
});

test("the HTTP server depends on Node alone", () => {
  const foreign = sourcesUnder("packages/http-server/src").flatMap((file) =>
    importsOf(file)
      .filter((name) => !/^(?:node:|packages\/)/.test(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(foreign).toEqual([]);
});

test("the engine depends on its peers alone", () => {
  const { peerDependencies, dependencies = {} } = JSON.parse(
    read("packages/connect-transcoding/package.json"),
  );
  const allowed = Object.keys({ ...peerDependencies, ...dependencies });
  const foreign = sourcesUnder("packages/connect-transcoding/src").flatMap((file) =>
    importsOf(file)
      .filter((name) => !/^(?:node:|packages\/)/.test(name))
      .filter((name) => name !== PLATFORM)
      .filter((name) => !allowed.some((each) => name === each || name.startsWith(`${each}/`)))
      .map((name) => `${file} imports ${name}`),
  );
  expect(foreign).toEqual([]);
});

describe("dependencies between the folders of the engine", () => {
  const ENGINE = "packages/connect-transcoding/src";
  /** Requests pass the folders in this order: a folder may import those after it. */
  const ORDER = ["hosts", "features", "call", "protocols", "routes", "codec", "errors"];
  /** Usable in every folder; they import none. */
  const SHARED = ["platform", "proto-options.ts"];
  /** What the other folders may import besides. */
  const OTHERS: Readonly<Record<string, readonly string[]>> = {
    cli: ["openapi", ...ORDER.slice(ORDER.indexOf("routes"))],
    features: ["openapi", "reference", "mcp", "services", ...ORDER.slice(ORDER.indexOf("call"))],
    client: ORDER.slice(ORDER.indexOf("routes")),
    mcp: ["openapi", ...ORDER.slice(ORDER.indexOf("call"))],
    openapi: ORDER.slice(ORDER.indexOf("protocols")),
    reference: ["openapi", ...ORDER.slice(ORDER.indexOf("call"))],
    services: ORDER.slice(ORDER.indexOf("protocols")),
  };

  /** The files of the engine that a file of it imports. */
  const engineImportsOf = (file: string): string[] =>
    importsOf(file)
      .map((name) => (name.startsWith("#") ? `${ENGINE}/${name.slice(1)}/node.js` : name))
      .filter((name) => name.startsWith(`${ENGINE}/`))
      .map((name) => name.replace(/\.js$/, ".ts"));
  /** The folder directly in `src`, or a file there. */
  const placeOf = (file: string): string => file.slice(ENGINE.length + 1).split("/")[0] ?? "";
  const sources = sourcesUnder(ENGINE).filter((file) => file !== `${ENGINE}/index.ts`);

  test("every folder has its place", () => {
    const places = [...new Set(sources.map(placeOf))];
    expect(places.sort()).toEqual([...new Set([...ORDER, ...SHARED, ...Object.keys(OTHERS)])].sort());
  });

  test("imports go in the direction of a request", () => {
    const allowedIn = (place: string): readonly string[] =>
      SHARED.includes(place) ? [] : [...(OTHERS[place] ?? ORDER.slice(ORDER.indexOf(place) + 1)), ...SHARED];
    const foreign = sources.flatMap((file) => {
      const place = placeOf(file);
      const allowed = [place, ...allowedIn(place)];
      return engineImportsOf(file)
        .filter((name) => !allowed.includes(placeOf(name)))
        .map((name) => `${file} imports ${name}`);
    });
    expect(foreign).toEqual([]);
  });

  test("the search finds cycles of any length, also between files that are reached on several ways", () => {
    const graph = { a: ["b", "c"], b: ["c"], c: ["d"], d: ["b"], e: ["e"], f: ["a"] };
    expect(cyclesIn(new Map(Object.entries(graph)))).toEqual(["b -> c -> d -> b", "e -> e"]);
    expect(cyclesIn(new Map(Object.entries({ a: ["b", "c"], b: ["d"], c: ["d"] })))).toEqual([]);
  });
});

/** The folders with sources: of the service, of the client, and of each package. */
const FOLDERS = [
  ".",
  "client",
  ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`),
].filter((folder) => existsSync(join(ROOT, folder, "src")));

test.each(FOLDERS)("the files of %s/src do not import each other in cycles", (folder) => {
  // Imports name the output: `.js` stands for `.ts` and for `.tsx`.
  const withoutExtension = (name: string) => name.replace(/\.(?:js|tsx?)$/, "");
  const graph = sourcesUnder(`${folder}/src`).map((file): [string, string[]] => [
    withoutExtension(file),
    importsOf(file).map(withoutExtension),
  ]);
  expect(cyclesIn(new Map(graph))).toEqual([]);
});

/** The cycles that a depth-first search finds in a graph: at least one if there is any. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): void => {
    const start = path.indexOf(node);
    if (start >= 0) {
      cycles.push([...path.slice(start), node].join(" -> "));
    } else if (!done.has(node)) {
      for (const next of graph.get(node) ?? []) {
        visit(next, [...path, node]);
      }
      done.add(node);
    }
  };
  for (const node of graph.keys()) {
    visit(node, []);
  }
  return cycles;
}

describe("dependencies between the folders of the service", () => {
  /** Usable in every folder. */
  const SHARED = ["failures", "text"];
  /** The folders that the files of a folder may import, besides their own, the shared ones and the modules directly in src. */
  const ALLOWED: Readonly<Record<string, readonly string[]>> = {
    failures: [],
    text: [],
    config: [],
    "data-files": [],
    tools: ["config", "data-files"],
    service: ["tools", "config", "data-files"],
    "data-update": ["tools", "data-files"],
    cli: ["tools", "service", "data-update", "config", "data-files"],
    workbench: [],
  };

  test("every folder has its place", () => {
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(ALLOWED).sort());
  });

  /** Packages that browsers can load. */
  const WITHOUT_NODE =
    /^(connect-transcoding-operations\/failures\/result$|@bufbuild\/protobuf$|@utility-tools\/protos\/)/;

  test("the shared folders do not depend on Node: the web page imports them", () => {
    const foreign = SHARED.flatMap((folder) => sourcesUnder(`src/${folder}`)).flatMap((file) =>
      importsOf(file)
        .filter((name) => !SHARED.some((each) => name.startsWith(`src/${each}/`)))
        .filter((name) => !WITHOUT_NODE.test(name))
        .map((name) => `${file} imports ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  test.each(Object.entries(ALLOWED))("%s", (folder, allowed) => {
    const foreign = sourcesUnder(`src/${folder}`).flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith("src/") && name.split("/").length > 2)
        .filter((name) => ![folder, ...SHARED, ...allowed].some((each) => name.startsWith(`src/${each}/`)))
        .map((name) => `${file} imports ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  test("a tool does not import another tool", () => {
    const foreign = sourcesUnder("src/tools").flatMap((file) => {
      const [own] = /^src\/tools\/[^/]+\//.exec(file) ?? [];
      return importsOf(file)
        .filter((name) => /^src\/tools\/[^/]+\//.test(name) && own !== undefined && !name.startsWith(own))
        .map((name) => `${file} imports ${name}`);
    });
    expect(foreign).toEqual([]);
  });

  test("only services and loaders of tools use protobuf, clocks and the system", () => {
    const pure = sourcesUnder("src/tools").filter(
      (file) => /^src\/tools\/[^/]+\//.test(file) && !/(?:-service|\/load-[^/]+)\.ts$/.test(file),
    );
    expect(pure.length).toBeGreaterThan(10);
    const impure = pure.flatMap((file) => {
      const imports = importsOf(file).filter((name) =>
        /^(?:node:(?!net$|url$|zlib$|crypto$)|@bufbuild\/|@connectrpc\/|@utility-tools\/)/.test(name),
      );
      const code = read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      const calls = code.match(/\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bfetch\(/g) ?? [];
      return [...imports, ...calls].map((use) => `${file} uses ${use}`);
    });
    expect(impure).toEqual([]);
  });
});

test("an exported name has one meaning", () => {
  /**
   * The same by design: every tool has a `load`, the client has an entry for Node and one for browsers, SETTINGS is a frame of
   * HTTP/2, and the engine has one module for Node and one for other runtimes.
   */
  const shared = ["load", "createUtilityToolsClient", "SETTINGS"];
  const platform = ["compressions", "hashOf", "trustedProxies", "importByName"];
  const files = new Map<string, string[]>();
  for (const file of SOURCES) {
    for (const [, name = ""] of read(file).matchAll(
      /^export (?:abstract |async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm,
    )) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  const repeated = [...files].filter(([name, all]) => all.length > 1 && !shared.includes(name));
  const isOfPlatform = ([name, all]: (typeof repeated)[number]) =>
    platform.includes(name) && all.every((file) => file.includes("/connect-transcoding/src/platform/"));
  const wrong = repeated.filter((each) => !isOfPlatform(each));
  expect(wrong, "Rename one of the exports, or do not export it").toEqual([]);
});

/** The names besides types that the service imports from packages, except generated code, by module. */
function usesOfPackages(): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  for (const file of sourcesUnder("src")) {
    const imports = read(file).matchAll(
      /(import type )?\{([^{}]*)\} (?:from |= await import\()"((?:connect-transcoding|@utility-tools\/client)[^"]*)"/g,
    );
    for (const [, isType, names = "", module = ""] of imports) {
      const values = names.split(",").map((name) => name.trim().split(/ as |:/)[0] ?? "");
      const used = values.filter((name) => isType === undefined && name !== "" && !name.startsWith("type "));
      if (used.length > 0 && !module.includes("/gen/")) {
        uses.set(module, [...new Set([...(uses.get(module) ?? []), ...used])].sort());
      }
    }
  }
  return uses;
}

describe("what the service uses of the packages", () => {
  const uses = [...usesOfPackages()].sort();

  test("is in docs/architecture.md", () => {
    const [, table = ""] =
      /^\| Import \| Names \|\n.*\n((?:\|.*\n)+)/m.exec(read("docs/architecture.md")) ?? [];
    const rows = uses.map(
      ([module, names]) => `| \`${module}\` | ${names.map((name) => `\`${name}\``).join(", ")} |`,
    );
    expect(table.trimEnd().split("\n")).toEqual(rows);
  });

  /** The README of a package, with its guide and its reference if they are apart. */
  const documentsOf = (folder: string): string =>
    ["README", "docs/guide", "docs/reference"]
      .map((file) => `${folder}/${file}.md`)
      .filter((file) => existsSync(join(ROOT, file)))
      .map(read)
      .join("\n");

  test("is in the documents of its package", () => {
    const unknown = uses.flatMap(([module, names]) => {
      const [, area] = /^connect-transcoding-operations\/(.*)/.exec(module) ?? [];
      const folder = module.startsWith("@") ? "client" : "packages/connect-transcoding";
      const readme = documentsOf(area === undefined ? folder : "packages/operations");
      // The modules of this package have a row each.
      return (area === undefined ? names : [area])
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))
        .map((name) => `${module}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});

test("the paths in docs/architecture.md and packages/README.md exist", () => {
  const text = read("docs/architecture.md") + read("packages/README.md");
  const [, picture = ""] = /^```text\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const named = [
    ...text.matchAll(/`([\w./-]+(?:\/|\.ts|\.json))`/g),
    ...picture.matchAll(/([\w./-]+(?:\/|\.ts))(?=[\s);]|$)/gm),
  ];
  const service = [
    "src",
    "src/service",
    "src/config",
    "src/data-files",
    "src/tools",
    "src/workbench",
    "test/contract",
  ];
  const engine = ["", "/call", "/hosts", "/protocols", "/routes"].map(
    (each) => `packages/connect-transcoding/src${each}`,
  );
  const server = ["packages/http-server/src", "packages/http-server/src/http2"];
  const others = ["packages", "packages/operations/src", "packages/gateway/src"];
  const places = ["", "gen", ...server, ...others, ...service, ...engine];
  const missing = named
    .map(([, path = ""]) => path)
    .filter((path) => !places.some((place) => existsSync(join(ROOT, place, path))));
  expect(missing).toEqual([]);
});
