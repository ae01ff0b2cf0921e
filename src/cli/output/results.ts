import type { MessageInit } from "connect-transcoding/codec";
import type { ToolCommand } from "../commands.js";
import type { CallFailure, ErrorSubject } from "../failures.js";
import type { InputBatch } from "../input/items.js";
import type { InputItem } from "../input/lines.js";
import type { Column } from "./columns.js";
import type { ResponseFormats } from "./formats.js";
import type { Style } from "./terminal.js";

/** The format of the output. `text` is aligned on a terminal, and separated by tabs elsewhere. */
export type OutputFormat = "text" | "json" | "csv";

/** The result of one input: a response or a failure. */
export type ItemResult =
  | { readonly kind: "response"; readonly message: MessageInit }
  | { readonly kind: "failure"; readonly failure: CallFailure };

/** How the results of a command are shown. */
export interface ResultOptions {
  readonly command: ToolCommand;
  readonly format: OutputFormat;
  /** The columns that `--fields` selects; undefined: the default ones. */
  readonly selected: readonly Column[] | undefined;
  /** Whether rows end with the error of the input, which is then not written to standard error. */
  readonly hasErrorColumn: boolean;
  /** Whether responses have the messages that the view of the request selects. */
  readonly isFullView: boolean;
  /** Whether people see all fields, rather than a summary. */
  readonly isAll: boolean;
  /** The lists that are shown with a summary, by the name of their field. */
  readonly shownLists: readonly string[];
  /** Columns of the terminal that shows the output; undefined: it is not a terminal. */
  readonly width: number | undefined;
  /** The style of the output. */
  readonly style: Style;
  readonly errStyle: Style;
  /** The subject of an error about an input. Secrets are not repeated. */
  readonly subjectOf: (input: string) => ErrorSubject;
  /** What an error about an argument adds, such as the flag for files; empty if there is nothing to add. */
  readonly hintOf: (input: string) => string;
}

/** How results are rendered. */
export interface RenderOptions extends ResultOptions {
  readonly formats: ResponseFormats;
  /** `one`: the response to one input is the whole output. `many`: each result follows its input. */
  readonly inputs: "one" | "many";
}

/** Formats the results of one batch. A failed input of many has a line as well, so that the lines of input and output correspond. */
export interface BatchFormat {
  format(batch: InputBatch, results: readonly ItemResult[]): string;
  /** Returns what follows the last batch. */
  end?(): string;
}

/** The error of one input of many. */
export interface ItemError {
  /** The line for standard error. */
  readonly line: string;
  readonly message: string;
  /** The input; empty if it must not be shown. */
  readonly input: string;
}

/** The output for a batch of inputs. */
export interface Rendered {
  readonly out: string;
  /** The errors that the output does not have. */
  readonly errors: readonly ItemError[];
  /** The number of inputs that failed. */
  readonly failed: number;
}

/** Formats the results of inputs, one batch after the other. */
export interface Renderer {
  render(batch: InputBatch, results: readonly ItemResult[]): Rendered;
  /** Returns what follows the last batch. */
  end(): string;
  /** Whether the output has the failures, or their number. */
  readonly hasFailures: boolean;
}

/** Formats each result alone. */
export function eachResult(textOf: (result: ItemResult, item: InputItem) => string): BatchFormat {
  return {
    format({ items }, results) {
      let out = "";
      for (const [index, result] of results.entries()) {
        out += textOf(result, items[index] ?? { text: "" });
      }
      return out;
    },
  };
}

/** Formats each response alone. A failure has the same text each time. */
export function eachResponse(textOf: (message: MessageInit) => string, failed = ""): BatchFormat {
  return eachResult((result) => (result.kind === "response" ? textOf(result.message) : failed));
}

/** Ends each line with a line break. */
export function joinLines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
