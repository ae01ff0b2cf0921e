import type { ServiceImplementation } from "connect-transcoding";

/** A tool as the server sees it: a service, and what can be asked and told of it beside its methods. */
export interface Tool extends ServiceImplementation {
  /** What its answers are made of at this moment; a tool without it computes them from the request alone. */
  readonly sources?: () => readonly DataSource[];
  /** Whether it can answer; a tool without it always can. */
  readonly readiness?: Readiness;
  /** Lets go of what it holds: files are no longer watched. It can go on answering. */
  readonly close?: () => void;
}

/** Something that is made of data and may have to wait for it. */
export interface Readiness {
  /** Whether it has what it needs. */
  isReady(): boolean;
  /** Calls back after each change, until what is returned is called. */
  onChange(listener: () => void): () => void;
}

/** What happens to a tool between calls; there are no other events. */
export type ToolEvent =
  | {
      readonly kind: "data_loaded";
      /** The full name of the service. */
      readonly service: string;
      /** What it answers from since then. */
      readonly sources: readonly DataSource[];
      /** Whether there was other data before. */
      readonly isReplacement: boolean;
    }
  | {
      readonly kind: "data_refused";
      /** The full name of the service. */
      readonly service: string;
      /** One of a closed set, for programs. */
      readonly reason: Uppercase<string>;
      /** For the operator: which setting and file, and what is wrong. */
      readonly description: string;
      /** Whether the service goes on with older data; without any it answers nothing. */
      readonly hasOlderData: boolean;
    };

/** Data that answers are made of, and whose it is. */
export interface DataSource {
  /** What the data is called. */
  readonly name: string;
  /** Who publishes it; empty where nobody has said. */
  readonly publisher: string;
  /** Where its publisher tells of it; empty where nobody has said. */
  readonly url: string;
  /** An SPDX licence expression (https://spdx.org/licenses/); `NOASSERTION` where nobody has said. */
  readonly licence: string;
  /** The credit that is asked for, as plain text; empty where none is. */
  readonly attribution: string;
  /** The version or edition as its publisher counts them; empty for what is known by its date alone. */
  readonly version: string;
  /** When this edition was made; undefined where that is not known. */
  readonly builtAt: Date | undefined;
}
