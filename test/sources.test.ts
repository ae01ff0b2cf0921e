import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const copy = mkdtempSync(join(realpathSync(tmpdir()), "sources-"));
afterAll(() => rmSync(copy, { recursive: true }));

const ENTRIES = {
  "@utility-tools/http-server": "packages/http-server/src/index.ts",
  "connect-transcoding": "packages/connect-transcoding/src/index.ts",
  "connect-transcoding/rules": "packages/connect-transcoding/src/routes/index.ts",
  "connect-transcoding/codec": "packages/connect-transcoding/src/codec/index.ts",
  "connect-transcoding/openapi": "packages/connect-transcoding/src/openapi/index.ts",
  "connect-transcoding-operations/access/access": "packages/operations/src/access/access.ts",
  "@utility-tools/client": "client/src/node.ts",
  "@utility-tools/client/browser": "client/src/browser.ts",
};

/** Copies this package without builds. Installed packages are links, those of the workspaces to the copy. */
function copyPackage(): void {
  for (const name of [
    "src",
    "client",
    "packages",
    "gen",
    "test",
    "scripts",
    "package.json",
    "tsconfig.json",
    "vite.config.ts",
    "vitest.config.ts",
  ]) {
    cpSync(join(ROOT, name), join(copy, name), {
      recursive: true,
      // Suites that run meanwhile change the cache of programs.
      filter: (path) => !/\/(?:dist|\.cache)$/.test(path),
    });
  }
  linkPackages("node_modules");
}

function linkPackages(folder: string): void {
  mkdirSync(join(copy, folder));
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const target = realpathSync(join(ROOT, path));
    const isWorkspace = entry.isSymbolicLink() && target.startsWith(ROOT);
    if (path === join("node_modules", "@utility-tools")) {
      linkPackages(path);
    } else if (!entry.name.startsWith(".")) {
      symlinkSync(isWorkspace ? join(copy, target.slice(ROOT.length)) : target, join(copy, path));
    }
  }
}

function change(file: string, how: (text: string) => string): void {
  const path = join(copy, file);
  writeFileSync(path, how(readFileSync(path, "utf8")));
}

const IMPORTS = Object.keys(ENTRIES).map(
  (name, index) => `import { changed as changed${index} } from "${name}";`,
);
const VALUES = Object.keys(ENTRIES).map((_, index) => `changed${index}`);

/** A test in the place of one that starts the program. */
const TEST = `${IMPORTS.join("\n")}
import { expect, test } from "vitest";
import { MAIN } from "../../support/programs.js";
import { runProgram } from "connect-transcoding-testing/run-program.js";

test("packages are their sources", () => {
  expect([${VALUES}]).toEqual(Array.from({ length: ${VALUES.length} }, () => "yes"));
});

test("the program is its source", async () => {
  const program = runProgram([MAIN, "--version"]);
  await program.exit;
  expect(program.err()).toBe("changed\\n");
});
`;

test("a change of a package or of the service is in the next run of tests and programs, without a build", async () => {
  copyPackage();
  for (const file of Object.values(ENTRIES)) {
    change(file, (text) => `${text}\nexport const changed: string = "yes";\n`);
  }
  change("src/main.ts", (text) => `${text.replace(/^import /m, 'console.error("changed");\nimport ')}`);
  writeFileSync(join(copy, "test/cli/own-commands/make-key.test.ts"), TEST);
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [vitest, "run", "test/cli/own-commands/make-key.test.ts"], {
    cwd: copy,
    env: { PATH: process.env.PATH, NO_COLOR: "1" },
  });
  expect(stdout).toMatch(/Tests +2 passed \(2\)/);

  writeFileSync(join(copy, "program.ts"), `${IMPORTS.join("\n")}\nconsole.log(${VALUES});\n`);
  const printed = await run(
    process.execPath,
    ["--import", "./packages/testing/typescript.mjs", "program.ts"],
    { cwd: copy },
  );
  expect(printed.stdout.trim().split(" ")).toEqual(VALUES.map(() => "yes"));
});
