import { createRequire } from "node:module";
import type { Tool } from "../tool.js";
import { aboutService } from "./about-service.js";

/** Makes the about service with the version of the installation. */
export function loadAboutService(tools: () => readonly Tool[]): Tool {
  const { version }: { version: string } = createRequire(import.meta.url)("#package.json");
  return aboutService({ version, tools });
}
