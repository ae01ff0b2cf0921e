import { describe, expect, test } from "vitest";
import type { ShownError } from "../../../../src/workbench/kit/service/errors.js";
import type { createCallJson } from "../../../../src/workbench/kit/service/send-json.js";
import { createListWork } from "../../../../src/workbench/list/work/create-list-work.js";
import { type ListProgress, MAX_FILE_BYTES } from "../../../../src/workbench/list/work/list-work.js";
import type { WorkTool } from "../../../../src/workbench/list/work/work-tool.js";

/** The response of the service for words: their lengths, and errors for words with a digit. */
interface Lengths {
  readonly lengths: readonly { readonly length: number; readonly error: string }[];
}

const WORDS: WorkTool<Lengths, number> = {
  method: "WordService/Measure",
  requestOf: (words) => ({ words }),
  answersOf: ({ lengths }) =>
    lengths.map(({ length, error }) => ({
      kind: error === "" ? "word" : "invalid",
      values: error === "" ? [length] : [],
      error,
    })),
  itemName: "word",
  maxLength: 300,
  columns: ["length"],
  overviewOf: (answers) => answers.filter((answer) => answer?.kind === "word").length,
  looksRight: (text) => /^[a-m]+\d?$/.test(text),
  columnName: /^word$/i,
};

const FIRST = {
  order: { sortBy: undefined, isDescending: false },
  filter: { text: "", kind: "" },
  page: 0,
} as const;
const OPTIONS = { baseUrl: "http://host", apiKey: "key", maxItems: 2 };
const DOWN: ShownError = {
  code: "INTERNAL",
  message: "down",
  reason: "",
  metadata: {},
  violations: [],
  retryAfter: undefined,
};

/** The work on words. `onCall` is called with the words of each request, and its error ends the run. */
function start(
  onCall: (words: readonly string[], signal: AbortSignal) => ShownError | undefined = () => undefined,
) {
  const progress: ListProgress[] = [];
  const calls: { url: string; key: string; method: string; words: readonly string[] }[] = [];
  const createCall: typeof createCallJson = (url, key) => async (method, request, signal) => {
    const { words } = request as { readonly words: readonly string[] };
    calls.push({ url, key: key(), method, words });
    const failure = onCall(words, signal);
    await Promise.resolve();
    signal.throwIfAborted();
    const lengths = words.map((word) => ({
      length: word.length,
      error: /\d/.test(word) ? "has a digit" : "",
    }));
    return failure === undefined ? { ok: true, value: { lengths } as never } : { ok: false, failure };
  };
  const work = createListWork(WORDS, (each) => progress.push(each), createCall);
  return { work, progress, calls };
}

describe("open", () => {
  test.each([
    [
      "nothing",
      "",
      { count: 0, distinct: 0, names: undefined, layout: { column: 0, hasHeader: false }, isLikely: false },
    ],
    [
      "a plain list",
      "a\nb",
      { count: 2, distinct: 2, names: undefined, layout: { column: 0, hasHeader: false }, isLikely: true },
    ],
    [
      "a table",
      "\uFEFFn,word\r\n1,a\r\n2,b\r\n",
      { count: 2, distinct: 2, names: ["n", "word"], layout: { column: 1, hasHeader: true }, isLikely: true },
    ],
  ])("reads %s", async (_, text, opened) => {
    const { work } = start();
    expect(await work.open(text)).toEqual({ problem: undefined, ...opened });
    expect(await work.open(new File([text], "list.txt"))).toEqual({ problem: undefined, ...opened });
  });

  test("rejects files that are not text, or too large", async () => {
    const { work } = start();
    const archive = new File([new Uint8Array([0x50, 0x4b, 0, 0])], "sheet.xlsx");
    expect(await work.open(archive)).toMatchObject({ problem: "not_text", count: 0 });
    const large = Object.defineProperty(new File([], "x"), "size", { value: MAX_FILE_BYTES + 1 });
    expect(await work.open(large)).toMatchObject({ problem: "too_large", count: 0 });
  });

  test("keeps the latest list when an earlier file takes longer", async () => {
    const { work } = start();
    const file = work.open(new File(["a\nb\nc"], "list.txt"));
    expect(await work.open("a")).toMatchObject({ count: 1 });
    expect(await file).toMatchObject({ count: 1 });
  });

  test("changes the layout", async () => {
    const { work } = start();
    await work.open("n,word\n1,a\n2,b");
    expect(work.layOut({ column: 0, hasHeader: false })).toMatchObject({
      count: 3,
      layout: { column: 0, hasHeader: false },
      isLikely: false,
    });
  });
});

/** Secret words, each of which is sent alone. Words with a digit are rejected, and answers are current up to a time. */
function startSecret(validUntil: () => number) {
  const calls: string[] = [];
  const createCall: typeof createCallJson = () => async (_, request, _signal, onHeaders) => {
    const { word } = request as { readonly word: string };
    calls.push(word);
    onHeaders?.(new Headers({ date: "Thu, 01 Jan 2026 00:00:00 GMT" }));
    const violations = [{ field: "word", description: "has a digit", reason: "DIGIT" }];
    return /\d/.test(word)
      ? { ok: false, failure: { ...DOWN, code: "INVALID_ARGUMENT", violations } }
      : { ok: true, value: { length: word.length } as never };
  };
  const tool: WorkTool<{ readonly length: number }, number> = {
    ...WORDS,
    isSingle: true,
    requestOf: ([word]) => ({ word }),
    problemOf: (word) => (word.endsWith("5") ? "no 5" : ""),
    answersOf: ({ length }, { inputs, baseUrl, date }) => [
      { kind: "word", values: [length], error: "", drawing: `${inputs} ${baseUrl} ${date}` },
    ],
    expand: (text) => text.replace("both", "abc\nde"),
    publicColumn: /^name$/,
    isCurrent: ({ error }, now) => error !== "" || now < validUntil(),
    writeSheet: (rows) => new Blob([JSON.stringify(rows.map(([input, answer]) => [input, answer?.values]))]),
  };
  return { work: createListWork(tool, () => {}, createCall), calls };
}

describe("a list of secrets", () => {
  test("sends each alone, and has no secret in its rows and files", async () => {
    const { work, calls } = startSecret(() => Number.POSITIVE_INFINITY);
    await work.open("name,note,word\nJane,x,abc\nJoe,y,b4\nJim,z,b5");
    expect(await work.run(OPTIONS)).toEqual({ isComplete: true, error: undefined });
    expect(calls).toEqual(["abc", "b4", "b5"]);
    const page = work.page(FIRST);
    expect(page).toMatchObject({ header: ["row", "name"], column: 0, counts: { word: 1, invalid: 2 } });
    expect(page.rows.map(({ fields, answer }) => [fields, answer?.error, answer?.drawing])).toEqual([
      [["1", "Jane"], "", "abc http://host Thu, 01 Jan 2026 00:00:00 GMT"],
      [["2", "Joe"], "has a digit", undefined],
      [["3", "Jim"], "no 5", undefined],
    ]);
    expect(await work.file(FIRST, "csv").text()).toBe(
      "row,name,length,error\r\n1,Jane,3,\r\n2,Joe,,has a digit\r\n3,Jim,,no 5\r\n",
    );
    expect(await work.file(FIRST, "html").text()).toBe('[["abc",[3]],["b4",[]],["b5",[]]]');
  });

  test("sends those again that are no longer current", async () => {
    let validUntil = Number.POSITIVE_INFINITY;
    const { work, calls } = startSecret(() => validUntil);
    await work.open("both\nb4");
    await work.run(OPTIONS);
    await work.resume(OPTIONS);
    expect(calls).toEqual(["abc", "de", "b4"]);
    validUntil = 0;
    expect(await work.resume(OPTIONS)).toEqual({ isComplete: true, error: undefined });
    expect(calls.slice(3)).toEqual(["abc", "de"]);
  });
});

describe("run", () => {
  test("sends each distinct input once, and answers each row", async () => {
    const { work, calls, progress } = start();
    const opened = await work.open(`nr;word\n1;abc\n2;b4\n3;abc\n4;\n5;${"x".repeat(301)}\n6;de`);
    expect(opened).toMatchObject({ count: 6, distinct: 3 });
    expect(await work.run(OPTIONS)).toEqual({ isComplete: true, error: undefined });
    expect(calls).toEqual([
      { url: "http://host", key: "key", method: "WordService/Measure", words: ["abc", "b4"] },
      { url: "http://host", key: "key", method: "WordService/Measure", words: ["de"] },
    ]);
    expect(progress[0]).toEqual({ done: 0, total: 3, doneBefore: 0, waiting: undefined });
    expect(work.page(FIRST)).toMatchObject({
      header: ["nr", "word"],
      column: 1,
      total: 6,
      found: 6,
      start: 0,
      counts: { word: 3, invalid: 3 },
      overview: 3,
    });
    expect(work.firstBatch()).toMatchObject({ inputs: ["abc", "b4"], outcome: { ok: true } });
    const wrong = work.page({ ...FIRST, filter: { text: "", kind: "invalid" } });
    expect(wrong.rows.map(({ row, answer }) => [row, answer?.error])).toEqual([
      [1, "has a digit"],
      [3, "this row has no word"],
      [4, "must have at most 300 characters"],
    ]);
    const filtered = { ...FIRST, filter: { text: "", kind: "word" } };
    expect(
      work.page(filtered).rows.map(({ row, fields, answer }) => [row, fields[0], answer?.values]),
    ).toEqual([
      [0, "1", [3]],
      [2, "3", [3]],
      [5, "6", [2]],
    ]);
    expect(await work.file(filtered, "csv").text()).toBe(
      "nr;word;length;error\r\n1;abc;3;\r\n3;abc;3;\r\n6;de;2;\r\n",
    );
  });

  test("pauses, and sends the rest of the same list", async () => {
    let isPaused = false;
    const { work, calls } = start((words) => {
      if (words.includes("c") && !isPaused) {
        isPaused = true;
        work.pause();
      }
      return undefined;
    });
    await work.open("a\nb\nc\nd\ne");
    expect(await work.run({ ...OPTIONS, maxItems: 1 })).toEqual({ isComplete: false, error: undefined });
    expect(work.page(FIRST)).toMatchObject({ counts: { word: 2, "": 3 }, overview: 2 });
    await work.open("other");
    expect(await work.resume(OPTIONS)).toEqual({ isComplete: true, error: undefined });
    expect(calls.map(({ words }) => words.join(""))).toEqual(["a", "b", "c", "cd", "e"]);
  });

  test("ends with an error, and continues", async () => {
    let isDown = true;
    const { work } = start((words) => (isDown && words.includes("c") ? DOWN : undefined));
    await work.open("a\nb\nc\nd\ne");
    expect(await work.run(OPTIONS)).toEqual({ isComplete: false, error: DOWN });
    const { version } = work.page(FIRST);
    expect(work.page(FIRST).version).toBe(version);
    isDown = false;
    expect(await work.resume(OPTIONS)).toEqual({ isComplete: true, error: undefined });
    expect(work.page(FIRST)).toMatchObject({ counts: { word: 5 }, version: version + 1 });
  });

  test("shows pages of 100 rows", async () => {
    const { work } = start();
    await work.open(Array.from({ length: 250 }, (_, index) => `x${"y".repeat(index)}`).join("\n"));
    await work.run({ ...OPTIONS, maxItems: 1_000 });
    const { found, start: first, rows } = work.page({ ...FIRST, page: 2 });
    expect([found, first, rows.length, rows[0]?.row]).toEqual([250, 200, 50, 200]);
    expect(work.page({ ...FIRST, page: 3 }).start).toBe(0);
  });

  test("clears the results", async () => {
    const { work } = start();
    await work.open("a");
    await work.run(OPTIONS);
    work.clear();
    expect(work.page(FIRST)).toMatchObject({ total: 0, rows: [], counts: {} });
    expect(work.firstBatch()).toBeUndefined();
  });
});
