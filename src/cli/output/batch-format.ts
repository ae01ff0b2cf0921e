import type { MessageInit } from "connect-transcoding/codec";
import type { ToolCommand } from "../commands.js";
import type { CallFailure, ErrorSubject } from "../failures.js";
import type { InputBatch } from "../input/items.js";
import type { Column } from "./columns.js";
import type { ResponseFormats } from "./formats.js";
import type { Style } from "./terminal.js";

/** The format of the output. `text` is aligned on a terminal, and separated by tabs elsewhere. */
export type OutputFormat = "text" | "json" | "csv";

/** The result of one input: a response or a failure. */
export type ItemResult =
  | { readonly kind: "response"; readonly message: MessageInit }
  | { readonly kind: "failure"; readonly failure: CallFailure };

/** How results are rendered. */
export interface RenderOptions {
  readonly command: ToolCommand;
  readonly formats: ResponseFormats;
  readonly format: OutputFormat;
  /** `one`: the response to one input is the whole output. `many`: each result follows its input. */
  readonly inputs: "one" | "many";
  /** The columns that are selected; undefined: the default ones. */
  readonly selected: readonly Column[] | undefined;
  /** Columns of the terminal that shows the output; undefined: it is not a terminal. */
  readonly width: number | undefined;
  /** The style of the output. */
  readonly style: Style;
  readonly errStyle: Style;
  readonly subjectOf: (input: string) => ErrorSubject;
  /** What an error about an argument adds; empty if there is nothing to add. */
  readonly hintOf: (input: string) => string;
  /** Whether rows end with the error of the input, which is then not written to standard error. */
  readonly hasErrorColumn: boolean;
  /** Whether people see all fields, rather than a summary. */
  readonly isAll: boolean;
  /** The lists that are shown with a summary, by the name of their field. */
  readonly shownLists: readonly string[];
  /** Whether responses have the messages that the view of the request selects. */
  readonly isFullView: boolean;
}

/** Formats the results of one batch. A failed input of many has a line as well, so that the lines of input and output correspond. */
export interface BatchFormat {
  format(batch: InputBatch, results: readonly ItemResult[]): string;
  /** Returns what follows the last batch. */
  end(): string;
}

/** Ends each line with a line break. */
export function joinLines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
