// Calls unary methods and streams with Google's Python clients over REST. The argument is a file with the
// `google.protobuf.FileDescriptorSet` of the APIs.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { createError, createServer } from "connect-transcoding";
import { pythonPrograms } from "../clients/programs.mjs";
import { check, conclude } from "../lib/checks.mjs";

const EXPECTED = `unary a
enum STOP
stream 1 2 3
empty stream
brackets }],"\\é
error NotFound there is no such text NO_TEXT
stream that fails 1 2 3 (empty)
`;

const responseOf = (text) => ({
  candidates: [
    { finishReason: 1, content: { role: "model", parts: [{ data: { case: "text", value: text } }] } },
  ],
});
const textOf = ({ contents }) => contents[0].parts[0].data.value;

const service = {
  generateContent(request) {
    if (textOf(request) === "missing") {
      throw createError({ code: Code.NotFound, reason: "NO_TEXT", message: "there is no such text" });
    }
    return responseOf(textOf(request));
  },
  async *streamGenerateContent(request) {
    const count = Number(textOf(request));
    if (Number.isNaN(count)) {
      yield responseOf(textOf(request));
    }
    for (let index = 1; index <= count; index++) {
      yield responseOf(String(index));
    }
    if (request.model === "models/failing") {
      throw createError({ code: Code.NotFound, reason: "NO_TEXT", message: "there is no more text" });
    }
  },
};

const venv = pythonPrograms("google-python", join(import.meta.dirname, "requirements.txt"), 10);
if (venv !== undefined) {
  const [descriptors] = process.argv.slice(2);
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
  const server = createServer({
    routes: (router) =>
      router.service(registry.getService("google.ai.generativelanguage.v1.GenerativeService"), service),
    transcoding: { unknownParameters: "ignore", systemParameters: true },
  });
  const { port } = await server.listen("127.0.0.1", 0);
  const program = join(import.meta.dirname, "google-python.py");
  const client = spawn(join(venv, "bin", "python"), [program, `127.0.0.1:${port}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  for await (const part of client.stdout.setEncoding("utf8")) {
    printed += part;
  }
  const lines = printed.split("\n");
  for (const [index, line] of EXPECTED.trimEnd().split("\n").entries()) {
    check(`Google's Python client over REST: ${line}`, lines[index] === line, lines[index]);
  }
  await server.close(0);
  conclude();
}
