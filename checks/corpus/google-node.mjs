// Calls unary methods and streams with Google's Node client (google-gax) over REST. The argument is a file with the
// `google.protobuf.FileDescriptorSet` of the APIs.
import { join } from "node:path";
import { fallback, protobuf } from "google-gax";
import { check, conclude } from "../lib/checks.mjs";
import { startLanguageServer } from "./google-language.mjs";

const PROTOS = join(import.meta.dirname, "node_modules", "google-proto-files");
const root = new protobuf.Root();
root.resolvePath = (_, path) => join(PROTOS, path);
root.loadSync("google/ai/generativelanguage/v1/generative_service.proto");

const server = await startLanguageServer(process.argv[2]);
const auth = { getClient: async () => ({}), fetch };
const grpc = new fallback.GrpcClient({ fallback: true, numericEnums: true, auth });
const stub = await grpc.createStub(root.lookupService("google.ai.generativelanguage.v1.GenerativeService"), {
  servicePath: "127.0.0.1",
  port: server.port,
  protocol: "http",
});

const requestOf = (text, model = "models/a") => ({ model, contents: [{ role: "user", parts: [{ text }] }] });
const textOf = ({ candidates: [candidate] }) => candidate?.content.parts[0].text ?? "(empty)";

const unary = (text) =>
  new Promise((resolve, reject) => {
    stub.generateContent(requestOf(text), {}, {}, (error, response) =>
      error === null ? resolve(response) : reject(error),
    );
  });

/** The texts of a stream, and its error. */
async function stream(text, model) {
  const found = [];
  try {
    for await (const response of stub.streamGenerateContent(requestOf(text, model), {}, {})) {
      found.push(textOf(response));
    }
  } catch (error) {
    found.push(`error ${error.code} ${error.message}`);
  }
  return found.join(" ");
}

function checkText(name, found, expected) {
  check(`Google's Node client over REST: ${name}`, found === expected, found);
}

checkText("unary", textOf(await unary("a")), "a");
checkText("enum", String((await unary("a")).candidates[0].finishReason), "STOP");
checkText("stream", await stream("3"), "1 2 3");
checkText("empty stream", await stream("0"), "");
checkText("brackets", await stream('}],"\\é'), '}],"\\é');
const error = await unary("missing").catch((thrown) => thrown);
checkText("error", `${error.code} ${error.message} ${error.reason}`, "5 there is no such text NO_TEXT");
// The client takes the error after the last message for a message without fields.
checkText("stream that fails", await stream("3", "models/failing"), "1 2 3 (empty)");
await server.close();
conclude();
