import type { Flag } from "./flag.js";

/** The flags that every command of a tool has, beside those of its method. */
export const COMMON_FLAGS = {
  json: {
    name: "--json",
    placeholder: undefined,
    meaning: "writes JSON, as the service does; for many inputs one line each",
  },
  output: {
    name: "--output",
    placeholder: "FILE",
    meaning: "writes to this file in place of standard output",
    isPath: true,
  },
  url: {
    name: "--url",
    placeholder: "URL",
    meaning: "asks the service there; without it this machine works the answer out. Also UTILITY_TOOLS_URL",
  },
  apiKeyFile: {
    name: "--api-key-file",
    placeholder: "FILE",
    meaning: "file that holds the API key for the service",
    isPath: true,
  },
  apiKey: {
    name: "--api-key",
    placeholder: "KEY",
    meaning: "the API key itself. Other users can see arguments: UTILITY_TOOLS_API_KEY or a file is safer",
  },
  timeout: {
    name: "--timeout",
    placeholder: "DURATION",
    meaning: "how long the service may take for a call, such as 500ms or 10s. Default: 10s",
  },
  noProgress: {
    name: "--no-progress",
    placeholder: undefined,
    meaning: "shows no progress, which a terminal otherwise sees while many inputs are read",
  },
  help: { name: "--help", short: "-h", placeholder: undefined, meaning: "shows this, and does nothing else" },
  version: {
    name: "--version",
    short: "-v",
    placeholder: undefined,
    meaning: "shows the version, and does nothing else",
  },
} as const satisfies Record<string, Flag>;
