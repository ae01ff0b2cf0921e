import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { textOf } from "./columns.js";
import { displayText, displayWidth, padToWidth } from "./display-text.js";
import type { Style } from "./style.js";
import { table } from "./table.js";

/** An answer for people: a line for each field, what is nested indented, lists of objects as tables. */
export function fieldList(answer: JsonValue, width: number, style: Style): string[] {
  if (isObjectList(answer)) {
    return objectTable(answer, width, style);
  }
  if (!isObject(answer)) {
    return [textOf(answer)];
  }
  const entries = Object.entries(answer);
  const longest = Math.max(0, ...entries.map(([name]) => displayWidth(name)));
  return entries.flatMap(([name, value]) => {
    const isNested = isObject(value) || isObjectList(value);
    if (isNested) {
      const lines = fieldList(value, width - 2, style).map((line) => `  ${line}`);
      return [style.dim(displayText(name)), ...lines];
    }
    return [`${style.dim(padToWidth(displayText(name), longest))}  ${textOf(value)}`.trimEnd()];
  });
}

/** An answer for programs: each plain value on a line, behind its path and a tab. */
export function pathList(answer: JsonValue, path: readonly (string | number)[] = []): string[] {
  if (Array.isArray(answer)) {
    return answer.flatMap((each, index) => pathList(each, [...path, index]));
  }
  if (isObject(answer)) {
    return Object.entries(answer).flatMap(([name, each]) => pathList(each, [...path, displayText(name)]));
  }
  return [`${path.join(".")}\t${textOf(answer)}`];
}

function objectTable(rows: readonly JsonObject[], width: number, style: Style): string[] {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => header.map((name) => textOf(row[name])));
  return table(header.map(displayText), cells, width, style);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObjectList(value: JsonValue): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
