import type { McpOptions, ToolInfo } from "connect-transcoding/mcp";
import { methodName } from "connect-transcoding/rules";
import { packageVersion } from "../installed-package.js";

const INSTRUCTIONS =
  "Lookups that need no network: one-time passwords, countries, IP addresses, e-mail addresses and QR codes. Use a batch tool for several inputs. " +
  "Locations of IP addresses are by DB-IP.";

/** No tool changes anything, or needs a network. */
const HINTS = { readOnlyHint: true, openWorldHint: false };

/** What differs from the proto files, by the full name of the method. */
const TOOLS: Readonly<Record<string, ToolInfo>> = {
  // Programs show PNG in a conversation, and few show SVG.
  "utilitytools.v1.BarcodeService.RenderBarcode": { defaults: { format: "png" } },
};

/**
 * Describes the tools for agents. The comments of the protos are loaded at the first request.
 *
 * @param hasClient whether there are clients with addresses, which one method returns
 */
export function mcpOptions(hasClient: boolean): McpOptions {
  return {
    info: { name: "utility-tools", title: "Utility Tools", version: packageVersion() },
    instructions: INSTRUCTIONS,
    comments: async () => (await import("./documentation.js")).loadDocumentation().comments,
    tool: (method) => {
      const name = methodName(method);
      const isHidden =
        name.startsWith("grpc.") || (!hasClient && name === "utilitytools.v1.GeoIpService.LookupSelf");
      return isHidden ? "hidden" : { annotations: HINTS, ...TOOLS[name] };
    },
  };
}
