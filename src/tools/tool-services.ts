import type { DescService } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { SERVICE_NAMES } from "./load-tools.js";

/** The services of all tools, in the order of the documentation. */
export const TOOL_SERVICES: readonly DescService[] = SERVICE_NAMES.flatMap((name) =>
  Object.values<DescService>(SERVICES).filter(({ typeName }) => typeName === name),
);
