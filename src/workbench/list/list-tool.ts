import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import type { Method } from "../schema/method.js";
import type { Answer, Value } from "./work/answers.js";

/** A column of answers in the table. */
export interface ListColumn {
  /** Its heading. */
  readonly label: string;
  /** Renders a known value that is not shown as text. */
  readonly show?: (value: Value, answer: Answer) => ComponentChildren;
}

/** A tool for lists: its method, and how the results are shown. A worker reads, sends and keeps the lists. */
export interface ListTool {
  /** Starts the worker of the tool, whose module calls `serveWork`. */
  readonly startWorker: () => Worker;
  /** The id of the panel, with which the names of downloaded files start. */
  readonly id: string;
  /** The command for longer lists, without the file: `geoip --csv --file`. Absent without one. */
  readonly command?: string;
  readonly method: Method<DescMessage, DescMessage>;
  /** The largest number of inputs in a request. Default: 1. */
  readonly maxItems?: number | undefined;
  /** The label of the inputs. */
  readonly label: string;
  /** What else a list can have, as a sentence. */
  readonly help?: string;
  /** Whether the inputs are secrets, which the page masks. */
  readonly isSecret?: boolean;
  /** Whether the results can be downloaded as a page to print. */
  readonly hasSheet?: boolean;
  /** The request that the page shows. */
  readonly requestOf: (inputs: readonly string[]) => MessageInitShape<DescMessage>;
  /** The labels of the kinds of answers, in the order of the summary: "found" for "97 found". */
  readonly kinds: Readonly<Record<string, string>>;
  /** The columns of the table by their names in the worker. The others are only in downloads. */
  readonly shown: Readonly<Partial<Record<string, ListColumn>>>;
  readonly examples: readonly string[];
  /** The label of the button that sends a list. */
  readonly action: string;
  /** The heading of the column with the inputs of a plain list. */
  readonly inputLabel: string;
  /** Renders an input. Undefined shows it as text. */
  readonly showInput?: (input: string, answer: Answer) => ComponentChildren;
}

/** Returns the kinds of which there are answers, each with its number in words: "97 found". */
export function kindsOf({ kinds }: ListTool, counts: Readonly<Record<string, number>>) {
  return Object.entries(kinds)
    .filter(([id]) => counts[id])
    .map(([id, label]) => [id, `${counts[id]?.toLocaleString("en")} ${label}`] as const);
}
