import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";
import { DEFAULT_RETRIES, DEFAULT_TIMEOUT } from "@utility-tools/client";
import { SERVICES } from "@utility-tools/protos/services.js";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, describe, expect, test } from "vitest";
import { useServer } from "../contract/support/serve.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/guide/clients.md"), "utf8");
const options = readFileSync(join(import.meta.dirname, "../../client/README.md"), "utf8");

/** The code block of a file on the page, or with language `text` the output below it. */
const blockOf = (language: string, file: string) =>
  new RegExp(`^\`\`\`${language} ${file}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";

/** The default of an option in the table of the package. */
const defaultOf = (option: string) =>
  new RegExp(`^\\| \`${option}\` \\| \`(.*?)\` \\|`, "m").exec(options)?.[1];

test("the package lists its defaults", () => {
  const { count, baseDelay, maxDelay } = DEFAULT_RETRIES;
  expect(defaultOf("timeout")).toBe(String(DEFAULT_TIMEOUT));
  expect(defaultOf("retries")).toBe(`{ count: ${count}, baseDelay: ${baseDelay}, maxDelay: ${maxDelay} }`);
});

describe("the .proto files, read by protobuf.js", () => {
  const includeDirs = ["proto", "packages/connect-transcoding/proto"].map((folder) =>
    join(import.meta.dirname, "../..", folder),
  );
  const server = useServer();
  afterAll(endPrograms);

  test.each(Object.values(SERVICES))("contain $typeName", (service) => {
    const loaded = loadSync(`${service.file.name}.proto`, { includeDirs })[service.typeName];
    expect(Object.values(loaded as ServiceDefinition).map(({ path }) => path)).toEqual(
      service.methods.map(({ name }) => `/${service.typeName}/${name}`),
    );
  });

  test("work with the example for grpc-js", async () => {
    const program = blockOf("js", "grpc-js.mjs").replace(
      /(?<=includeDirs = ).*(?=;)/,
      JSON.stringify(includeDirs),
    );
    const example = runProgram(["--input-type=module", "--eval", program], {
      UTILITY_TOOLS_TARGET: `127.0.0.1:${server.port}`,
    });
    await example.exit;
    expect(example.out() + example.err()).toBe(blockOf("text", "grpc-js.mjs"));
  });
});
