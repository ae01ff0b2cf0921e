// A server of `google.ai.generativelanguage`, for Google's REST clients.
import { readFileSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { createError, createServer } from "connect-transcoding";

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

/** Starts the server. The argument is a file with the `google.protobuf.FileDescriptorSet` of the APIs. */
export async function startLanguageServer(descriptors) {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
  const server = createServer({
    routes: (router) =>
      router.service(registry.getService("google.ai.generativelanguage.v1.GenerativeService"), service),
    transcoding: { unknownParameters: "ignore", systemParameters: true },
  });
  const { port } = await server.listen("127.0.0.1", 0);
  return { port, close: () => server.close(0) };
}
