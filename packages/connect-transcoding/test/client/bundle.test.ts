import { gzipSync } from "node:zlib";
import { build, type Rollup } from "vite";
import { expect, test } from "vitest";

test("a bundle for browsers has no module of Node and no server", async () => {
  const output = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["utility-tools-source"] },
    build: {
      write: false,
      lib: { entry: new URL("../../src/client/index.ts", import.meta.url).pathname, formats: ["es"] },
      rollupOptions: { external: [/^@bufbuild\/protobuf/, /^@connectrpc\/connect/] },
    },
  });
  const [{ output: [chunk] = [] } = { output: [] }] = output as Rollup.RollupOutput[];
  expect(chunk?.type).toBe("chunk");
  const { code, moduleIds, imports } = chunk as Rollup.OutputChunk;
  expect(imports.filter((id) => !/^@(?:bufbuild|connectrpc)\//.test(id))).toEqual([]);
  const folders = new Set(
    moduleIds.flatMap((id) => /connect-transcoding\/src\/([^/]+)\//.exec(id)?.[1] ?? []),
  );
  expect(
    [...folders].filter((folder) => ["call", "hosts", "protocols", "services", "openapi"].includes(folder)),
  ).toEqual([]);
  expect(moduleIds.filter((id) => /http-server(?!\/src\/(?:portable|known-options)\.ts$)/.test(id))).toEqual(
    [],
  );
  expect(gzipSync(code).length).toBeLessThan(19_300);
});
