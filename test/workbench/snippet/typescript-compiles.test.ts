import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { typeScriptSnippet } from "../../../src/workbench/snippet/snippets.js";
import { EXAMPLES, NASTY_REQUESTS, REJECTED } from "./sample-requests.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");

test("every snippet compiles in strict mode against the packages it imports", () => {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-snippets-"));
  try {
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    // As if the packages were installed.
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const requests = [...EXAMPLES, ...NASTY_REQUESTS, ...REJECTED];
    for (const [index, { method, message }] of requests.entries()) {
      const text = typeScriptSnippet({
        method,
        message,
        baseUrl: "http://[::1]:8080",
        needsKey: index % 2 > 0,
      });
      writeFileSync(
        join(folder, `snippet-${index}.ts`),
        `${text}\nexport type Response = typeof response.$typeName;\n`,
      );
    }
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      // The test checks the snippets, not the declarations of packages.
      compilerOptions: { rootDir: "/", skipLibCheck: true },
      include: ["snippet-*.ts", join(ROOT, "globals.d.ts"), join(ROOT, "packages/globals.d.ts")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    // The compiler does resolve the types of the packages: without them, nothing would be unexpected here.
    writeFileSync(
      join(folder, "snippet-types.ts"),
      'import { createUtilityToolsClient as c } from "@utility-tools/client";\n// @ts-expect-error\nc(1);',
    );
    expect(execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })).toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
