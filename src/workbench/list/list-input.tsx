import { useEffect, useId, useState } from "preact/hooks";
import { Check, FileButton, Labeled, TextInput, withNotes } from "../kit/form/fields.js";
import { useSession } from "../kit/session.js";
import type { ListTool } from "./list-tool.js";
import { useDrop } from "./use-drop.js";
import type { ListRun } from "./use-list.js";
import { type ListProblem, MAX_FILE_BYTES, type OpenedList } from "./work/list-work.js";
import type { ListLayout } from "./work/read-list.js";

/** How many rows a list may have. */
const MAX_ROWS = 100_000;
/** The longest text that a text field shows without delay, in characters. A longer text is treated as a file. */
const MAX_TEXT = 100_000;

/** The name of a text that is treated as a file. */
const PASTED = "Pasted list";

/** A list as it was entered. */
interface ListSource {
  /** The text in the text field. */
  readonly text: string;
  /** The name of the file; undefined for text in the text field. */
  readonly fileName?: string;
}

const EMPTY: ListSource = { text: "" };

interface ListInputProps {
  readonly tool: ListTool;
  readonly list: ListRun<unknown>;
  /** Whether dropped files are for this list. */
  readonly isShown: boolean;
}

/** The form for a list: a text field, or a file, and the column if it is a table. */
export function ListInput({ tool, list, isShown }: ListInputProps) {
  const id = useId();
  const [source, setSource] = useState(EMPTY);
  const [opened, setOpened] = useState<OpenedList>();
  const [chosen, setChosen] = useState<Partial<ListLayout>>({});
  const [problem, setProblem] = useState("");
  const [isMasked, setMasked] = useState(tool.isSecret);
  const { open, layOut, run, clear } = list;

  const { count = 0, distinct = 0 } = opened ?? {};
  const isEmptyFile = source.fileName !== undefined && opened !== undefined && count === 0;
  const wrong =
    problem ||
    (isEmptyFile
      ? "The file is empty."
      : count > MAX_ROWS
        ? tooManyRows(count, tool.command, source.fileName)
        : "");
  const isReady = count > 0 && wrong === "";

  const change = async (next: ListSource, content: string | File = next.text) => {
    setSource(next);
    setChosen({});
    setProblem("");
    if (next.fileName !== undefined) {
      setOpened(undefined);
    }
    const result = await open(content);
    if (result === undefined) {
      return;
    }
    if (result.problem !== undefined) {
      setSource(EMPTY);
      setProblem(problemOf(result.problem, tool.command, next.fileName ?? ""));
    }
    setOpened(result);
    // A file is opened for its results. If nothing looks right, the user chooses the column first.
    if (next.fileName !== undefined && result.count > 0 && result.count <= MAX_ROWS && result.isLikely) {
      run();
    }
  };
  const choose = async (next: Partial<ListLayout>) => {
    const all = { ...chosen, ...next };
    setChosen(all);
    setOpened(await layOut(all));
  };
  const openFile = (file: File) => void change({ text: "", fileName: file.name }, file);
  const isOver = useDrop(isShown, openFile);
  const openText = (text: string) =>
    void (text.length > MAX_TEXT ? change({ text: "", fileName: PASTED }, text) : change({ text }));
  const { handOver } = useSession();
  useEffect(() => {
    const text = isShown ? handOver.take(tool.id) : "";
    if (text !== "") {
      openText(text);
      // The field that the text was pasted into is gone.
      document.getElementById(`${id}-text`)?.focus();
    }
  }, [isShown]);

  return (
    <form
      class={isOver ? "card card-body list-input drop-target" : "card card-body list-input"}
      aria-label="List"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) {
          run();
        }
      }}
    >
      <Labeled
        id={`${id}-text`}
        label={tool.label}
        aside={
          count > 0 && (
            <span class={count > MAX_ROWS ? "small numbers too-long" : "small numbers soft"}>
              {count.toLocaleString("en")} {count === 1 ? "row" : "rows"}
              {distinct < count && `, ${distinct.toLocaleString("en")} different`}
            </span>
          )
        }
        wrong={wrong}
        help={
          <>
            One per line, or rows of a table. You can also drop a text or CSV file on the page. Up to{" "}
            {MAX_ROWS.toLocaleString("en")} rows. {tool.help}
          </>
        }
      >
        {source.fileName === undefined ? (
          <TextInput
            {...withNotes(`${id}-text`, wrong !== "")}
            isCode
            isMasked={isMasked}
            rows={6}
            value={source.text}
            set={(text) => void change({ text })}
            placeholder={tool.examples.join("\n")}
            onPaste={(event) => {
              const text = event.clipboardData?.getData("text/plain") ?? "";
              if (text.length > MAX_TEXT) {
                event.preventDefault();
                openText(text);
              }
            }}
          />
        ) : (
          <p class="row spread list-file">
            <output id={`${id}-text`}>{source.fileName}</output>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                void change(EMPTY);
                clear();
              }}
            >
              Remove
            </button>
          </p>
        )}
      </Labeled>
      {opened?.names !== undefined && (
        <LayoutFields id={id} names={opened.names} layout={opened.layout} onChange={choose} />
      )}
      <div class="actions">
        <button type="submit" disabled={!isReady || list.phase === "running"}>
          {tool.action}
        </button>
        <FileButton label="Choose a file" accept=".csv,.tsv,.txt,.log,text/*" onFile={openFile} />
        {tool.isSecret && source.text !== "" && (
          <button
            type="button"
            class="quiet"
            aria-pressed={!isMasked}
            onClick={() => setMasked((before) => !before)}
          >
            {isMasked ? "Show" : "Hide"} the list
          </button>
        )}
        {source.text === "" && source.fileName === undefined && (
          <button type="button" class="quiet" onClick={() => void change({ text: tool.examples.join("\n") })}>
            Use an example
          </button>
        )}
      </div>
    </form>
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
    <div class="row small list-layout">
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
      <Check
        label="The first row has the names of the columns"
        checked={layout.hasHeader}
        set={(hasHeader) => onChange({ hasHeader })}
      />
    </div>
  );
}

function tooManyRows(count: number, command: string | undefined, fileName: string | undefined): string {
  return (
    `The list has ${count.toLocaleString("en")} rows; the page accepts ${MAX_ROWS.toLocaleString("en")}. ` +
    commandHint(command, fileName)
  );
}

function problemOf(problem: ListProblem, command: string | undefined, fileName: string): string {
  return problem === "too_large"
    ? `${fileName} is larger than ${MAX_FILE_BYTES / 1_000_000} MB. ${commandHint(command, fileName)}`
    : `${fileName} is not a text file. In a spreadsheet, save it as CSV first.`;
}

/** What to do with a list that is too long for the page. */
function commandHint(command: string | undefined, fileName: string | undefined): string {
  if (command === undefined) {
    return "Split it.";
  }
  const file = fileName === undefined || fileName === PASTED ? "list.csv" : fileName;
  const name = /^[\w.-]+$/.test(file) ? file : `'${file}'`;
  return `Split it, or use the command line: utility-tools ${command} ${name}`;
}
