import type { WatchFiles } from "connect-transcoding-operations/files/data-files";
import { readConfig } from "../../src/config/read-config.js";
import { loadTools } from "../../src/tools/load-tools.js";
import type { Tool, ToolEnvironment, ToolEvent } from "../../src/tools/tool.js";

/** Watches files that never change. */
export const watchNothing: WatchFiles = async () => ({ stop: () => {} });

/** Throws an Error if data is rejected. */
export function requireData(event: ToolEvent): void {
  if (event.kind === "data_refused") {
    throw new Error(event.description);
  }
}

/** Loads all tools with default settings and data. Throws an Error if the data is unusable. */
export async function releaseTools(
  environment: Pick<ToolEnvironment, "now" | "randomBytes">,
): Promise<readonly Tool[]> {
  const config = readConfig({});
  if (!config.ok) {
    throw new Error(config.failure.description);
  }
  const tools = await loadTools(config.value, {
    ...environment,
    watchFiles: watchNothing,
    report: requireData,
  });
  if (!tools.ok) {
    throw new Error(tools.failure.description);
  }
  return tools.value;
}
