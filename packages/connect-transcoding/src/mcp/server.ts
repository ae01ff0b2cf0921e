import type { JsonObject } from "@bufbuild/protobuf";
import { ProtocolError, ProtocolErrorCode, type RequestId, Server } from "@modelcontextprotocol/server";
import type { Caller } from "../call/caller.js";
import { callTool } from "./call-tool.js";
import type { LoadedOptions } from "./options.js";
import { describeTools, type MethodTool } from "./tools.js";

/** Creates a server whose tools are methods. `callerOf` returns who calls a tool, by the ID of its request. */
export type CreateServer = (callerOf: (id: RequestId) => Caller, caller: Caller) => Server;

/** Returns a function that creates servers. The tools of an adapter are described once. */
export function createServers(options: LoadedOptions): CreateServer {
  const { info, instructions } = options;
  const described = new WeakMap<Caller["methods"], ReadonlyMap<string, MethodTool>>();
  return (callerOf, caller) => {
    let tools = described.get(caller.methods);
    if (tools === undefined) {
      tools = describeTools(caller, options);
      described.set(caller.methods, tools);
    }
    const known = tools;
    const server = new Server(info, {
      capabilities: { tools: {} },
      ...(instructions === undefined ? {} : { instructions }),
    });
    server.setRequestHandler("tools/list", () => ({
      tools: [...known.values()].map(({ description }) => description),
    }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
      const tool = known.get(params.name);
      if (tool === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${params.name}`);
      }
      return callTool(tool, (params.arguments ?? {}) as JsonObject, callerOf(mcpReq.id), mcpReq.signal);
    });
    return server;
  };
}
