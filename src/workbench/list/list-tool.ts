import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import type { Field, Method } from "../schema/schema.js";
import type { Answer, Value } from "./work/answers.js";

/** A column of answers in the table. */
export interface ListColumn {
  /** Its name in downloads. */
  readonly name: string;
  /** Its heading in the table; without one, the column is only in downloads. */
  readonly label?: string;
  /** Renders a known value that is not shown as text. `values` are those of the whole answer. */
  readonly show?: (value: Value, values: readonly Value[]) => ComponentChildren;
}

/** A tool for lists: a batch method, and how its results are shown. A worker reads, sends and keeps the lists. */
export interface ListTool<Input extends DescMessage, Output extends DescMessage> {
  /** Starts the worker of the tool, whose module calls `serveWork`. */
  readonly startWorker: () => Worker;
  /** The start of the names of downloaded files, and the command for longer lists. */
  readonly command: string;
  readonly method: Method<Input, Output>;
  /** The field of the request that contains the inputs. */
  readonly field: Field;
  /** The request that the page shows. */
  readonly requestOf: (inputs: readonly string[]) => MessageInitShape<Input>;
  /** The kinds of answers, in the order of the summary: `found` with the label "found" for "97 found". */
  readonly kinds: readonly { readonly id: string; readonly label: string }[];
  readonly columns: readonly ListColumn[];
  readonly examples: readonly string[];
  /** The label of the button that sends a list. */
  readonly action: string;
  /** The heading of the column with the inputs of a plain list. */
  readonly inputLabel: string;
  /** Renders an input. Undefined shows it as text. */
  readonly showInput?: (input: string, answer: Answer) => ComponentChildren;
}
