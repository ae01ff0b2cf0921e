import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** An import, with both paths relative to the repository; a package has its name. */
interface Import {
  readonly from: string;
  readonly to: string;
}

/** The TypeScript files below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/** The imports of all source files below a folder. */
function importsBelow(folder: string): Import[] {
  return filesBelow(folder).flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/(?:from|import\() ?"([^"]+)"/g)].map(
      ([, specifier = ""]) => ({
        from: file,
        to: specifier.startsWith(".") ? relative(ROOT, join(ROOT, dirname(file), specifier)) : specifier,
      }),
    ),
  );
}

/** The folder of a tool: `src/tools/geoip`. */
const toolOf = (path: string) => /^src\/tools\/[^/]+(?=\/)/.exec(path)?.[0];

test("tools import only functions of each other, and of the service only settings and data files", () => {
  const wrong = importsBelow("src/tools").filter(({ from, to }) => {
    const [tool, other] = [toolOf(from), toolOf(to)];
    return (
      (tool !== undefined && other !== undefined && other !== tool && /-service|\/load-/.test(to)) ||
      (to.startsWith("src/") && !/^src\/(tools|service\/(config|data-files))\/|^src\/[^/]+$/.test(to))
    );
  });
  expect(wrong).toEqual([]);
});

test("packages are imported by name", () => {
  const wrong = importsBelow("src").filter(({ to }) => /^(packages|gen)\//.test(to));
  expect(wrong).toEqual([]);
});

test("the engine imports neither the service nor its generated code", () => {
  const imports = importsBelow("packages/connect-transcoding/src");
  const wrong = imports.filter(
    ({ to }) =>
      !to.startsWith("packages/connect-transcoding/") && !/^(node:|@bufbuild\/|@connectrpc\/)/.test(to),
  );
  expect(imports.length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

test("the paths in docs/architecture.md exist", () => {
  const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  const named = [...page.matchAll(/`([\w./-]+(?:\/|\.ts|\.json))`/g)].map(([, path = ""]) => path);
  const places = [
    "",
    "src",
    "src/service",
    "packages/connect-transcoding/src",
    "packages/connect-transcoding/src/node",
    "packages/connect-transcoding/src/protocols",
    "packages/connect-transcoding/src/server",
    "gen",
    "src/workbench",
    "src/tools",
    "src/service/config",
    "test/contract",
  ];
  expect(named.filter((path) => !places.some((place) => existsSync(join(ROOT, place, path))))).toEqual([]);
});
