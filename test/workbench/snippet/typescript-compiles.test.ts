import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { typeScriptSnippet } from "../../../src/workbench/snippet/typescript.js";
import { EXAMPLES, NASTY_REQUESTS, REFUSED } from "./sample-requests.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** What the package exports, as far as snippets use it. */
const PACKAGE = `
import type { Client } from "@connectrpc/connect";
import type { SERVICES } from "${ROOT}/gen/services.js";
type Clients = { readonly [Name in keyof typeof SERVICES]: Client<(typeof SERVICES)[Name]> };
export declare function createUtilityToolsClient(url: string, options?: { apiKey?: string | undefined }): Clients;
`;

test("every snippet is a module that a strict compiler takes", () => {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-snippets-"));
  try {
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    writeFileSync(join(folder, "utility-tools.d.ts"), PACKAGE);
    const requests = [...EXAMPLES, ...NASTY_REQUESTS, ...REFUSED];
    for (const [index, { method, message }] of requests.entries()) {
      const text = typeScriptSnippet({
        method,
        message,
        baseUrl: "http://[::1]:8080",
        needsKey: index % 2 > 0,
      });
      writeFileSync(join(folder, `snippet-${index}.ts`), `${text}\nexport type Answer = typeof answer;\n`);
    }
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: {
        rootDir: "/",
        typeRoots: [join(ROOT, "node_modules", "@types")],
        paths: {
          "utility-tools": ["./utility-tools.d.ts"],
          "utility-tools/v1/*": [join(ROOT, "gen/utilitytools/v1/*_pb.d.ts")],
          "@connectrpc/connect": [join(ROOT, "node_modules/@connectrpc/connect/dist/esm/index.d.ts")],
        },
        // It is the snippets that are tried, not the types of packages.
        skipLibCheck: true,
      },
      include: ["snippet-*.ts", join(ROOT, "globals.d.ts")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const compile = () => execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    expect(compile()).toBe("");
    // The compiler does see what is in them.
    writeFileSync(
      join(folder, "snippet-0.ts"),
      'import { createUtilityToolsClient as c } from "utility-tools";\nc(1);',
    );
    expect(compile).toThrow();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
