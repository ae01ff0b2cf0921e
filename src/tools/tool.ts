import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { WatchFiles } from "connect-transcoding-operations/files/data-files";
import type { Config } from "../config/config.js";
import type { Failure, Result } from "../failures/result.js";
import { chargeMessages } from "./charge-messages.js";
import type { Country } from "./countries/country.js";

/** One tool: a service and its implementation. */
export interface Tool extends ToolState {
  readonly service: DescService;
  /** Registers the implementation of the service. */
  readonly routes: (router: ConnectRouter) => void;
}

/** The data of a tool. Empty for a tool that computes every response from the request alone. */
export interface ToolState {
  /** Returns the sources of the data that is in use now. */
  readonly sources?: () => readonly DataSource[];
  /** Returns the paths of the files with the data in use. */
  readonly files?: () => readonly string[];
  /** Whether the data is loaded; without it the tool is always ready. */
  readonly readiness?: Readiness;
  /** Returns the data files of a command, for the `sharedFiles` of another thread. They must stay open as long as it runs. */
  readonly shareFiles?: () => SharedFiles;
  /** Stops watching the data files. The methods continue to work. */
  readonly close?: () => void;
}

/** Creates a tool from a service and its implementation. Messages of request streams count for the rate limit. */
export function createTool<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  state: ToolState = {},
): Tool {
  const options = service.methods.some(hasRequestStream) ? { interceptors: [chargeMessages] } : undefined;
  return { service, routes: (router) => router.service(service, implementation, options), ...state };
}

function hasRequestStream({ methodKind }: DescMethod): boolean {
  return methodKind === "client_streaming" || methodKind === "bidi_streaming";
}

/** The module of a tool, as `load-tools.ts` imports it. */
export interface ToolModule {
  /**
   * Loads the data of the tool and creates the tool. Fails if a part of the installation is missing or broken; a tool whose
   * own data files are not usable yet is created and not ready.
   */
  readonly load: (context: ToolContext) => Result<Tool, Failure> | Promise<Result<Tool, Failure>>;
}

/** The only calls that a command makes. */
export interface PlannedCalls {
  readonly methods: readonly DescMethod[];
  /** The fields that all requests have. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** A data file that threads share. */
export interface SharedFile {
  readonly memory: SharedArrayBuffer;
  /** The descriptor of the file, of which lookups read pages into the memory: its path may lead to another file by now. */
  readonly fd: number;
}

/** Data files that threads share, by path. */
export type SharedFiles = ReadonlyMap<string, SharedFile>;

/** The side effects that tools may have. */
export interface ToolEnvironment {
  /** Returns milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Returns cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly watchFiles: WatchFiles;
  /**
   * Set for a command, which may need a small part of the data: what `shareFiles` has returned in another thread, or an empty map. Tools then read the
   * parts of files that a call needs, as far as the format allows it, and without it all of them.
   */
  readonly sharedFiles?: SharedFiles | undefined;
  /** The only calls that follow: a tool need not load what they do not use. Undefined: any can follow. */
  readonly calls?: PlannedCalls | undefined;
  /** Called with each event of a tool. Must not throw. */
  readonly report: (event: ToolEvent) => void;
}

/** The arguments of a tool's `load`. */
export interface ToolContext extends ToolEnvironment {
  readonly config: Config;
  /** Returns the installed countries, ordered by name. The tools share them. */
  readonly countries: () => Promise<Result<readonly Country[], Failure>>;
  /** Returns all loaded tools; empty until loading has finished. */
  readonly tools: () => readonly Tool[];
}

/** Whether data is available, and its changes. */
export interface Readiness {
  isReady(): boolean;
  /** Calls `listener` after each change. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/** An event outside of calls. */
export type ToolEvent =
  | {
      readonly kind: "data_loaded";
      /** The full name of the service. */
      readonly service: string;
      /** The sources of the new data. */
      readonly sources: readonly DataSource[];
      /** The paths of its files. */
      readonly files: readonly string[];
      /** Files in the data folder that are not used, because the installed ones are newer. */
      readonly outdated: readonly string[];
      /** Whether the data replaces older data. */
      readonly isReplacement: boolean;
    }
  | {
      readonly kind: "data_refused";
      /** The full name of the service. */
      readonly service: string;
      /** Stable and machine-readable. */
      readonly reason: Uppercase<string>;
      /** For the operator: the setting, the file, and what is wrong. */
      readonly description: string;
      /** Whether the service keeps using older data. Otherwise it is unavailable. */
      readonly hasOlderData: boolean;
    };

/** The origin of data that responses contain. */
export interface DataSource {
  readonly name: string;
  /** Empty if unknown. */
  readonly publisher: string;
  /** The publisher's page about the data; empty if unknown. */
  readonly url: string;
  /** An SPDX license expression (https://spdx.org/licenses/); `NOASSERTION` if unknown. */
  readonly license: string;
  /** The required credit as plain text; empty if none is required. */
  readonly attribution: string;
  /** The publisher's version or edition; empty for data that only has a date. */
  readonly version: string;
  /** The build date; undefined if unknown. */
  readonly builtAt: Date | undefined;
  /** Set for data that `update-data` does not replace by default: a new release of the service has newer data. */
  readonly isFixed?: true | undefined;
  /** The setting that names the file, which `update-data` does not replace either. */
  readonly chosenBy?: string | undefined;
}

/** Returns the age of data in whole days, at least 0. `now` has milliseconds since the Unix epoch. */
export function ageInDays(builtAt: Date, now: number): number {
  return Math.max(0, Math.floor((now - builtAt.getTime()) / 86_400_000));
}
