import { readConfig } from "../src/service/config/read-config.js";
import type { WatchFiles } from "../src/service/data-files/data-files.js";
import { loadTools, type World } from "../src/tools/load-tools.js";
import type { Tool, ToolEvent } from "../src/tools/tool.js";

/** Files that never change. */
export const watchNothing: WatchFiles = async () => ({ stop: () => {} });

/** Throws an Error for data that cannot be used. */
export function requireData(event: ToolEvent): void {
  if (event.kind === "data_refused") {
    throw new Error(event.description);
  }
}

/** The tools of the release on their default settings and data. Throws an Error when the data cannot be used. */
export async function releaseTools(world: Pick<World, "now" | "randomBytes">): Promise<readonly Tool[]> {
  const config = readConfig({});
  if (!config.ok) {
    throw new Error(config.failure.description);
  }
  const tools = await loadTools(config.value, { ...world, watchFiles: watchNothing, report: requireData });
  if (!tools.ok) {
    throw new Error(tools.failure.description);
  }
  return tools.value;
}
