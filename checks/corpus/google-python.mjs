// Calls unary methods and streams with Google's Python clients over REST. The argument is a file with the
// `google.protobuf.FileDescriptorSet` of the APIs.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { check, conclude } from "../lib/checks.mjs";
import { pythonPrograms } from "../lib/programs.mjs";
import { startLanguageServer } from "./google-language.mjs";

const EXPECTED = `unary a
enum STOP
stream 1 2 3
empty stream
brackets }],"\\é
error NotFound there is no such text NO_TEXT
stream that fails 1 2 3 (empty)
`;

const venv = pythonPrograms("google-python", join(import.meta.dirname, "requirements.txt"));
const server = await startLanguageServer(process.argv[2]);
const program = join(import.meta.dirname, "google-python.py");
const python = join(venv, "bin", "python");
const { stdout } = await promisify(execFile)(python, [program, `127.0.0.1:${server.port}`]);
const lines = stdout.split("\n");
for (const [index, line] of EXPECTED.trimEnd().split("\n").entries()) {
  check(`Google's Python client over REST: ${line}`, lines[index] === line, lines[index]);
}
await server.close();
conclude();
