import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import type { MessageInit } from "connect-transcoding/codec";
import { jsonString } from "connect-transcoding/codec";
import type { AnswerForm } from "./answer-form.js";
import type { CallFailure } from "./call-failure.js";
import { cellOf, columnsOf } from "./columns.js";
import { complaint, complaintJson, type Subject } from "./complaint.js";
import { displayText } from "./display-text.js";
import { fieldList } from "./field-list.js";
import type { AnsweredChunk } from "./outcome.js";
import type { Style } from "./style.js";
import { layOut, type TableLayout, tableRow } from "./table.js";

/** What a chunk is for the two outputs. */
export interface Rendered {
  readonly out: string;
  readonly err: string;
  /** Inputs without an answer. */
  readonly failed: number;
}

/** How answers to many inputs are shown. */
export interface ManyOptions {
  readonly command: string;
  readonly form: AnswerForm;
  readonly isJson: boolean;
  /** Columns of the terminal that people read; undefined: there is none. */
  readonly width: number | undefined;
  /** Of that terminal, and of the one that has errors. */
  readonly style: Style;
  readonly errStyle: Style;
  /** Whether inputs are secrets, which are not repeated. */
  readonly hasSecrets: boolean;
  /** What an error about an input says that it is about. */
  readonly subjectOf: (input: string) => Subject;
}

/**
 * Makes what shows answers to many inputs, chunk after chunk. JSON has a line for each input, and the error of one on its
 * line; text has the errors on standard error.
 */
export function renderMany(options: ManyOptions): (chunk: AnsweredChunk) => Rendered {
  return options.isJson ? jsonLines(options) : textLines(options);
}

function jsonLines({ form, subjectOf, hasSecrets }: ManyOptions): (chunk: AnsweredChunk) => Rendered {
  return ({ inputs, outcomes }) => {
    let [out, failed] = ["", 0];
    for (let index = 0; index < outcomes.length; index++) {
      const outcome = outcomes[index];
      const text = inputs[index]?.text ?? "";
      if (outcome?.kind === "answer") {
        const input = hasSecrets ? "" : `"input":${jsonString(text)},`;
        out += `{${input}"answer":${form.json(outcome.message)}}\n`;
      } else if (outcome !== undefined) {
        failed++;
        out += complaintJson(outcome.failure, subjectOf(text));
      }
    }
    return { out, err: "", failed };
  };
}

function textLines(options: ManyOptions): (chunk: AnsweredChunk) => Rendered {
  const { command, errStyle, subjectOf } = options;
  const show = textShower(options);
  return ({ inputs, outcomes }) => {
    let err = "";
    let failed = 0;
    const answers: Answered[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const subject = subjectOf(inputs[index]?.text ?? "");
      if (outcome.kind === "failure") {
        failed++;
        err += complain(outcome.failure, subject);
      } else {
        answers.push({ subject, message: outcome.message });
      }
    }
    return { out: answers.length === 0 ? "" : show(answers), err, failed };
  };

  function complain({ message }: CallFailure, subject: Subject): string {
    return complaint(command, message, errStyle, subject);
  }
}

/** An answer, and what it is the answer to. */
interface Answered {
  readonly subject: Subject;
  readonly message: MessageInit;
}

function textShower(options: ManyOptions): (answers: readonly Answered[]) => string {
  const { form, width, style } = options;
  const { text, desc } = form;
  if (text !== undefined) {
    return (answers) => answers.map(({ message }) => `${displayText(text(message))}\n`).join("");
  }
  if (width !== undefined && (desc === undefined || !isFlat(desc))) {
    return (answers) =>
      answers
        .map(({ message }) => `${fieldList(jsonOf(form, message), width, style).join("\n")}\n\n`)
        .join("");
  }
  return rowShower(options, desc);
}

/** Shows each answer as a row: with tabs, or in a table that is laid out by the first of them. */
function rowShower({ form, width, style }: ManyOptions, desc: DescMessage | undefined) {
  const columns = desc === undefined ? [] : columnsOf(desc);
  let layout: TableLayout | undefined;
  return (answers: readonly Answered[]): string => {
    const rows = answers.map(({ subject, message }) => {
      const row = jsonOf(form, message);
      const cells = columns.map((column) => cellOf(row, column));
      return subject.kind === "input" ? [displayText(subject.text), ...cells] : cells;
    });
    if (width === undefined) {
      return rows.map((row) => `${row.join("\t")}\n`).join("");
    }
    const names = columns.map(({ name }) => name);
    const header = (rows[0]?.length ?? 0) > names.length ? ["input", ...names] : names;
    const isFirst = layout === undefined;
    const known = layout ?? layOut(header, rows, width);
    layout = known;
    const lines = rows.map((row) => `${tableRow(known, row)}\n`);
    return (isFirst ? `${style.bold(tableRow(known, header))}\n` : "") + lines.join("");
  };
}

/** Whether messages of a type have no lists of messages, so that a row can show them. */
function isFlat(desc: DescMessage, depth = 0): boolean {
  return desc.fields.every(
    (field) =>
      !(field.fieldKind === "list" && field.message !== undefined) &&
      (field.fieldKind !== "message" || (depth < 4 && isFlat(field.message, depth + 1))),
  );
}

function jsonOf(form: AnswerForm, message: MessageInit): JsonValue {
  return JSON.parse(form.json(message));
}
