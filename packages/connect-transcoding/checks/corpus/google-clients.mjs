// Calls unary methods and streams with Google's clients for Node (google-gax) and Python over REST. The argument is a file with the
// `google.protobuf.FileDescriptorSet` of the APIs.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Code } from "@connectrpc/connect";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import { fallback, protobuf } from "google-gax";
import { startLanguageServer } from "./google-language.mjs";

const HERE = import.meta.dirname;
/** What each client reads. Clients take the error after the last message of a stream for a message without fields. */
const EXPECTED = `unary a
enum STOP
stream 1 2 3
empty stream
brackets }],"\\é
error NotFound there is no such text NO_TEXT
stream that fails 1 2 3 (empty)`;

const { port, close } = await startLanguageServer(process.argv[2]);
const clients = { Node: await readByNode(), Python: await readByPython() };
for (const [name, lines] of Object.entries(clients)) {
  for (const [index, line] of EXPECTED.split("\n").entries()) {
    check(`Google's ${name} client over REST: ${line}`, lines[index] === line, lines[index]);
  }
}
await close();
conclude();

async function readByNode() {
  const root = new protobuf.Root();
  root.resolvePath = (_, path) => join(HERE, "node_modules", "google-proto-files", path);
  root.loadSync("google/ai/generativelanguage/v1/generative_service.proto");
  const auth = { getClient: async () => ({}), fetch };
  const grpc = new fallback.GrpcClient({ fallback: true, numericEnums: true, auth });
  const service = root.lookupService("google.ai.generativelanguage.v1.GenerativeService");
  const stub = await grpc.createStub(service, { servicePath: "127.0.0.1", port, protocol: "http" });

  const requestOf = (text, model) => ({ model, contents: [{ role: "user", parts: [{ text }] }] });
  const textOf = ({ candidates: [candidate] }) => candidate?.content.parts[0].text ?? "(empty)";
  const unary = (text) =>
    new Promise((resolve, reject) => {
      stub.generateContent(requestOf(text, "models/a"), {}, {}, (error, response) =>
        error === null ? resolve(response) : reject(error),
      );
    });
  const stream = async (text, model = "models/a") => {
    const found = [];
    for await (const response of stub.streamGenerateContent(requestOf(text, model), {}, {})) {
      found.push(` ${textOf(response)}`);
    }
    return found.join("");
  };
  const error = await unary("missing").catch((thrown) => thrown);
  return [
    `unary ${textOf(await unary("a"))}`,
    `enum ${(await unary("a")).candidates[0].finishReason}`,
    `stream${await stream("3")}`,
    `empty stream${await stream("0")}`,
    `brackets${await stream('}],"\\é')}`,
    `error ${Code[error.code]} ${error.message} ${error.reason}`,
    `stream that fails${await stream("3", "models/failing")}`,
  ];
}

async function readByPython() {
  const venv = pythonPrograms("google-python", join(HERE, "requirements.txt"));
  const args = [join(HERE, "google-python.py"), `127.0.0.1:${port}`];
  return (await promisify(execFile)(join(venv, "bin", "python"), args)).stdout.split("\n");
}
