import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AboutService } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import { implement, type ServiceImplementation } from "connect-transcoding";
import type { Tool } from "../tool.js";
import { joinSources } from "./join-sources.js";

/** What the about service needs from the outside. */
export interface AboutServiceDeps {
  /** The version of the program. */
  readonly version: string;
  /** All tools of the server. */
  readonly tools: () => readonly Tool[];
}

/** The about service: which version this is, and what its answers are made of at the moment of the call. */
export function aboutService({ version, tools }: AboutServiceDeps): ServiceImplementation {
  return implement(AboutService, {
    getAbout() {
      const used = tools().map(({ service, sources }) => ({
        service: service.typeName,
        sources: sources?.() ?? [],
      }));
      return {
        version,
        sources: joinSources(used).map(({ builtAt, services, ...source }) => ({
          ...source,
          ...(builtAt === undefined ? {} : { buildTime: timestampFromDate(builtAt) }),
          services: [...services],
        })),
      };
    },
  });
}
