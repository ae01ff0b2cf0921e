import type { DescMessage } from "@bufbuild/protobuf";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { fieldLabel } from "../kit/text.js";
import type { ListTool } from "./list-tool.js";
import { decodeText, detectLayout, type ListLayout, readList } from "./read-list.js";
import type { ListEntries } from "./use-list.js";

/** How many rows a list may have. */
const MAX_ROWS = 100_000;
/** How large a file may be, in bytes. */
const MAX_FILE_BYTES = 50_000_000;
/** The longest text that a text field shows without delay, in characters. A longer text is treated as a file. */
const MAX_TEXT = 100_000;

/** A list before it is read. */
interface ListSource {
  readonly text: string;
  /** The name of the file; undefined for text in the text field. */
  readonly fileName?: string;
}

const EMPTY: ListSource = { text: "" };

interface ListInputProps<Input extends DescMessage, Output extends DescMessage> {
  readonly tool: ListTool<Input, Output>;
  /** Whether dropped files are for this list. */
  readonly isShown: boolean;
  readonly isRunning: boolean;
  /** Called when the user asks for results, or opens a file whose layout is clear. */
  readonly onRun: (entries: ListEntries) => void;
  /** Called when the user removes the list. */
  readonly onClear: () => void;
}

/** The form for a list: a text field, or a file, and the column if it is a table. */
export function ListInput<Input extends DescMessage, Output extends DescMessage>({
  tool,
  isShown,
  isRunning,
  onRun,
  onClear,
}: ListInputProps<Input, Output>) {
  const id = useId();
  const [source, setSource] = useState(EMPTY);
  const [chosen, setChosen] = useState<Partial<ListLayout>>({});
  const [problem, setProblem] = useState("");

  const read = useMemo(() => readList(source.text, tool), [source, tool]);
  const layout = useMemo(() => ({ ...detectLayout(read, tool), ...chosen }), [read, tool, chosen]);
  const entries = useMemo(() => entriesOf(read, layout), [read, layout]);
  const count = entries.inputs.length;
  const isEmptyFile = source.fileName !== undefined && count === 0;
  const wrong = problem || (isEmptyFile ? "The file is empty." : count > MAX_ROWS ? tooManyRows(count) : "");

  const change = (next: ListSource) => {
    setSource(next);
    setChosen({});
    setProblem("");
  };
  const open = async (file: File) => {
    const text =
      file.size > MAX_FILE_BYTES ? undefined : decodeText(new Uint8Array(await file.arrayBuffer()));
    if (text === undefined) {
      change(EMPTY);
      setProblem(problemOf(file));
      return;
    }
    change({ text, fileName: file.name });
  };
  const isReady = count > 0 && wrong === "";
  useEffect(() => {
    // A file is opened for its results. If nothing looks right, the user chooses the column first.
    if (source.fileName !== undefined && isReady && entries.inputs.slice(0, 100).some(tool.looksRight)) {
      onRun(entries);
    }
  }, [source]);
  const isOver = useDrop(isShown, open);

  return (
    <form
      class={isOver ? "card card-body list-input list-over" : "card card-body list-input"}
      aria-label="List"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) {
          onRun(entries);
        }
      }}
    >
      <div class="field">
        <div class="field-head">
          <label for={`${id}-text`}>{fieldLabel(tool.field)}</label>
          {count > 0 && (
            <span class={count > MAX_ROWS ? "length too-long" : "length"}>
              {count.toLocaleString("en")} {count === 1 ? "row" : "rows"}
            </span>
          )}
        </div>
        {source.fileName === undefined ? (
          <textarea
            id={`${id}-text`}
            class="control code"
            rows={6}
            value={source.text}
            placeholder={tool.examples.join("\n")}
            spellcheck={false}
            autocapitalize="off"
            aria-invalid={wrong !== ""}
            aria-describedby={`${id}-wrong ${id}-help`}
            onInput={({ currentTarget }) => change({ text: currentTarget.value })}
            onPaste={(event) => {
              const text = event.clipboardData?.getData("text/plain") ?? "";
              if (text.length > MAX_TEXT) {
                event.preventDefault();
                change({ text, fileName: "Pasted list" });
              }
            }}
          />
        ) : (
          <p class="list-file">
            <output id={`${id}-text`}>{source.fileName}</output>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                change(EMPTY);
                onClear();
              }}
            >
              Remove
            </button>
          </p>
        )}
        <p id={`${id}-wrong`} class="wrong">
          {wrong}
        </p>
        <p id={`${id}-help`} class="help">
          One per line, or rows of a table. You can also drop a text or CSV file on the page. Up to{" "}
          {MAX_ROWS.toLocaleString("en")} rows.
        </p>
      </div>
      {read.delimiter !== undefined && (
        <LayoutFields
          id={id}
          names={read.records[0] ?? []}
          layout={layout}
          onChange={(next) => setChosen({ ...chosen, ...next })}
        />
      )}
      <div class="actions">
        <button type="submit" disabled={!isReady || isRunning}>
          {tool.action}
        </button>
        <FileButton onChoose={open} />
        {source.text === "" && (
          <button type="button" class="quiet" onClick={() => change({ text: tool.examples.join("\n") })}>
            Use an example
          </button>
        )}
      </div>
    </form>
  );
}

/** The button that opens a file of the user's computer. */
function FileButton({ onChoose }: { readonly onChoose: (file: File) => Promise<void> }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="quiet" onClick={() => picker.current?.click()}>
        Choose a file
      </button>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,.log,text/*"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          // The same file can be chosen again.
          currentTarget.value = "";
          if (file !== undefined) {
            void onChoose(file);
          }
        }}
      />
    </>
  );
}

interface LayoutFieldsProps {
  readonly id: string;
  /** The first record. */
  readonly names: readonly string[];
  readonly layout: ListLayout;
  readonly onChange: (layout: Partial<ListLayout>) => void;
}

/** The column with the inputs, and whether the first row is a header. */
function LayoutFields({ id, names, layout, onChange }: LayoutFieldsProps) {
  return (
    <div class="list-layout">
      <label for={`${id}-column`}>Column</label>
      <select
        id={`${id}-column`}
        class="control"
        value={layout.column}
        onChange={({ currentTarget }) => onChange({ column: Number(currentTarget.value) })}
      >
        {names.map((name, index) => (
          <option key={index} value={index}>
            {layout.hasHeader && name.trim() !== "" ? name : `Column ${index + 1}`}
          </option>
        ))}
      </select>
      <label class="list-header-choice">
        <input
          type="checkbox"
          checked={layout.hasHeader}
          onChange={({ currentTarget }) => onChange({ hasHeader: currentTarget.checked })}
        />
        The first row has the names of the columns
      </label>
    </div>
  );
}

/** Separates the header of a list from its rows, and reads the input of each row. */
function entriesOf(
  { records, delimiter }: ReturnType<typeof readList>,
  { column, hasHeader }: ListLayout,
): ListEntries {
  const rows = hasHeader ? records.slice(1) : records;
  const names = (hasHeader ? records[0] : undefined) ?? [];
  const width = rows.slice(0, 1_000).reduce((most, row) => Math.max(most, row.length), names.length);
  const header = Array.from(
    { length: width },
    (_, index) => names[index]?.trim() || (width === 1 ? "input" : `column_${index + 1}`),
  );
  return { header, records: rows, column, delimiter, inputs: rows.map((row) => row[column]?.trim() ?? "") };
}

function tooManyRows(count: number): string {
  const rows = count.toLocaleString("en");
  return `The list has ${rows} rows; the page accepts ${MAX_ROWS.toLocaleString("en")}. Split it, or use the command line.`;
}

function problemOf({ name, size }: File): string {
  return size > MAX_FILE_BYTES
    ? `${name} is larger than ${MAX_FILE_BYTES / 1_000_000} MB. Split it, or use the command line.`
    : `${name} is not a text file. In a spreadsheet, save it as CSV first.`;
}

/** Calls `onFile` with files that are dropped anywhere on the page. Returns whether a file is over the page. */
function useDrop(isActive: boolean, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;
  useEffect(() => {
    if (!isActive) {
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const onDrag = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) {
        // Without this the browser opens the file in place of the page.
        event.preventDefault();
        setOver(true);
      }
    };
    addEventListener("dragenter", onDrag, { signal });
    addEventListener("dragover", onDrag, { signal });
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && setOver(false), {
      signal,
    });
    addEventListener(
      "drop",
      (event) => {
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) {
          event.preventDefault();
          latest.current(file);
        }
      },
      { signal },
    );
    return () => controller.abort();
  }, [isActive]);
  return isOver;
}
