import type { JsonObject } from "@bufbuild/protobuf";
import { ProtocolError, ProtocolErrorCode, type RequestId, Server } from "@modelcontextprotocol/server";
import type { Caller } from "../call/caller.js";
import { callTool } from "./call-tool.js";
import type { LoadedOptions } from "./options.js";
import { describeTools } from "./tools.js";

/** Creates a server. `callerOf` returns who calls a tool, by the ID of its request; undefined once it is cancelled. */
export type CreateServer = (callerOf: (id: RequestId) => Caller | undefined) => Server;

/** Returns a function that creates servers whose tools are the methods of a caller. */
export function createServers(caller: Caller, options: LoadedOptions): CreateServer {
  const { info, instructions } = options;
  const tools = describeTools(caller, options);
  const descriptions = [...tools.values()].map(({ description }) => description);
  return (callerOf) => {
    const server = new Server(info, {
      capabilities: { tools: {} },
      ...(instructions === undefined ? {} : { instructions }),
    });
    // A handler for `tools/call` has its arguments and results copied and validated by schemas, which takes longer than most calls,
    // drops a member `__proto__`, and adds nothing: the method validates its arguments.
    server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => {
      if (method === "tools/list") {
        return { tools: descriptions };
      }
      if (method !== "tools/call") {
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
      }
      const { name, arguments: args = {} } = params;
      const tool = typeof name === "string" ? tools.get(name) : undefined;
      const ownCaller = callerOf(mcpReq.id);
      if (tool === undefined || ownCaller === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${name}`);
      }
      if (typeof args !== "object" || args === null || Array.isArray(args)) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "arguments must be an object");
      }
      return { ...(await callTool(tool, args as JsonObject, ownCaller, mcpReq.signal)) };
    };
    return server;
  };
}
