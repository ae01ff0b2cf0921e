import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkedDecoder } from "../../src/http1/chunked-decoder.js";

const LIMITS = { maxHeaderBytes: 1_000, maxHeaderFields: 3 };

interface Decoded {
  readonly data: string;
  readonly trailers: readonly string[] | undefined;
  /** The status with which the body is rejected. */
  readonly status: number | undefined;
  readonly isEnded: boolean;
  /** What was not consumed. */
  readonly rest: string;
}

/** Decodes a body that arrives in pieces. What the decoder does not consume is there again with the next piece. */
function decode(pieces: readonly string[]): Decoded {
  const decoder = new ChunkedDecoder(LIMITS);
  let data = "";
  let rest = Buffer.alloc(0);
  let status: number | undefined;
  for (const piece of pieces) {
    const input = Buffer.concat([rest, Buffer.from(piece, "latin1")]);
    let at = 0;
    for (let before = -1; before !== at && !decoder.isEnded && status === undefined; ) {
      before = at;
      if (at < input.length) {
        const end = decoder.decode(input, at, (part) => {
          data += Buffer.from(part).toString("latin1");
        });
        if (typeof end === "object") {
          ({ status } = end);
        } else {
          at = end;
        }
      }
    }
    rest = input.subarray(at);
  }
  return {
    data,
    trailers: decoder.trailers?.list,
    status,
    isEnded: decoder.isEnded,
    rest: rest.toString("latin1"),
  };
}

/** The body in one piece, byte by byte, and cut in two at each position. */
function ways(body: string): (readonly string[])[] {
  const cuts = body.length > 200 ? [] : Array.from({ length: body.length - 1 }, (_, index) => index + 1);
  return [[body], [...body], ...cuts.map((at) => [body.slice(0, at), body.slice(at)])];
}

const END = "0\r\n\r\n";

type Valid = readonly [title: string, body: string, data: string, trailers?: readonly string[]];

/** The sections are those of RFC 9112. */
describe("valid bodies", () => {
  const cases: readonly Valid[] = [
    ["an empty one (7.1)", END, ""],
    ["one chunk (7.1)", `3\r\nabc\r\n${END}`, "abc"],
    ["chunks (7.1)", `3\r\nabc\r\n1\r\nd\r\n${END}`, "abcd"],
    ["a size in lower case (7.1)", `a\r\n0123456789\r\n${END}`, "0123456789"],
    ["a size in upper case (7.1)", `A\r\n0123456789\r\n${END}`, "0123456789"],
    ["leading zeros (7.1)", `0003\r\nabc\r\n${END}`, "abc"],
    ["a last chunk of several zeros (7.1)", `3\r\nabc\r\n000\r\n\r\n`, "abc"],
    ["data that looks like a chunk", `5\r\n0\r\n\r\n\r\n${END}`, "0\r\n\r\n"],
    ["an extension (7.1.1)", `3;a=b\r\nabc\r\n${END}`, "abc"],
    ["extensions (7.1.1)", `3;a;b=c;d="e;f"\r\nabc\r\n0;g\r\n\r\n`, "abc"],
    ["white space before an extension (7.1.1)", `3 \t; a\r\nabc\r\n${END}`, "abc"],
    ["white space around an equals sign (7.1.1)", `3;a \t=\t "b" ;c= d\r\nabc\r\n${END}`, "abc"],
    ["quoted pairs in an extension (7.1.1)", `3;a="\\"\\\\\\\xe9";b=""\r\nabc\r\n${END}`, "abc"],
    ["a quoted extension above ASCII (RFC 9110, 5.6.4)", `3;a="\xe9"\r\nabc\r\n${END}`, "abc"],
    ["a line of 256 bytes", `1;${"x".repeat(254)}\r\na\r\n${END}`, "a"],
    ["a trailer (7.1.2)", "1\r\na\r\n0\r\nX: 1\r\n\r\n", "a", ["x", "1"]],
    ["trailers (7.1.2)", "0\r\nX:1\r\nY: \t2 \r\nx: 3\r\n\r\n", "", ["x", "1", "y", "2", "x", "3"]],
    // Trailers are separate from headers (6.5.1 of RFC 9110), so that these mean nothing.
    ["a trailer about framing", "0\r\nContent-Length: 5\r\n\r\n", "", ["content-length", "5"]],
  ];
  test.each(cases.map(([title, body, data, trailers]) => ({ title, body, data, trailers })))(
    "$title",
    ({ body, data, trailers }) => {
      for (const pieces of ways(body)) {
        expect(decode(pieces)).toEqual({ data, trailers, status: undefined, isEnded: true, rest: "" });
      }
    },
  );

  test("what follows a body is not consumed", () => {
    expect(decode([`${END}GET / HTTP/1.1\r\n`]).rest).toBe("GET / HTTP/1.1\r\n");
    expect(decode(["0\r\nX: 1\r\n\r\nGET"]).rest).toBe("GET");
  });
});

describe("invalid bodies", () => {
  test.each<readonly [title: string, body: string, status: number]>([
    ["no size (7.1)", `\r\nabc\r\n${END}`, 400],
    ["a size that is not hexadecimal (7.1)", `g\r\nabc\r\n${END}`, 400],
    ["a size with 0x (7.1)", `0x3\r\nabc\r\n${END}`, 400],
    ["a size with a sign (7.1)", `+3\r\nabc\r\n${END}`, 400],
    ["a negative size (7.1)", `-3\r\nabc\r\n${END}`, 400],
    ["a size with a separator (7.1)", `1_0\r\nabc\r\n${END}`, 400],
    ["a size with a fraction (7.1)", `3.0\r\nabc\r\n${END}`, 400],
    ["a space before the size (7.1)", ` 3\r\nabc\r\n${END}`, 400],
    ["a space after the size (7.1)", `3 \r\nabc\r\n${END}`, 400],
    ["a size of 14 digits (7.1)", `${"0".repeat(13)}3\r\nabc\r\n${END}`, 400],
    ["a size beyond 2^53 (7.1)", `fffffffffffffffff3\r\nabc\r\n${END}`, 400],
    ["a bare LF after the size (2.2)", `3\nabc\r\n${END}`, 400],
    ["a bare CR after the size (2.2)", `3\rabc\r\n${END}`, 400],
    ["two CRs after the size (2.2)", `3\r\r\nabc\r\n${END}`, 400],
    ["a bare LF in an extension (7.1.1)", `3;a\nb\r\nabc\r\n${END}`, 400],
    ["a bare CR in an extension (7.1.1)", `3;a\rb\r\nabc\r\n${END}`, 400],
    ["NUL in an extension (7.1.1)", `3;a\0\r\nabc\r\n${END}`, 400],
    ["DEL in an extension (7.1.1)", `3;a\x7f\r\nabc\r\n${END}`, 400],
    ...[
      ["no name", ";"],
      ["no name before a value", ";=b"],
      ["no name between two", ";a;;b"],
      ["a name that is not a token", ";bad[=x"],
      ["a name above ASCII", ";\xe9"],
      ["a value that is missing", ";a="],
      ["a value that is not a token", ";a=b/c"],
      ["a value above ASCII", ";a=\xe9"],
      ["two words", ";a b"],
      ["white space at its end", ";a "],
      ["no closing quote", ';a="b'],
      ["an escaped closing quote", ';a="b\\"'],
      ["text after a closing quote", ';a="b"c'],
      ["a quoted name", ';"a"'],
    ].map(([what, text]) => [`an extension with ${what} (7.1.1)`, `3${text}\r\nabc\r\n${END}`, 400] as const),
    ["no CRLF after the data (7.1)", `3\r\nabc${END}`, 400],
    ["a bare LF after the data (2.2)", `3\r\nabc\n${END}`, 400],
    ["a bare CR after the data (2.2)", `3\r\nabc\r${END}`, 400],
    ["more data than its size (7.1)", `3\r\nabcd\r\n${END}`, 400],
    ["less data than its size (7.1)", `5\r\nabc\r\n${END}`, 400],
    ["an extension of 255 bytes", `1;${"x".repeat(255)}\r\na\r\n${END}`, 413],
    ["an extension without an end", `1;${"x".repeat(300)}`, 413],
    ["many extensions", `1;${"x".repeat(253)}\r\na\r\n`.repeat(70), 413],
    ["a trailer without a colon (5)", "0\r\nX\r\n\r\n", 400],
    ["a space before the colon of a trailer (5.1)", "0\r\nX : 1\r\n\r\n", 400],
    ["obs-fold in a trailer (5.2)", "0\r\nX: 1\r\n 2\r\n\r\n", 400],
    ["a bare LF in trailers (2.2)", "0\r\nX: 1\nY: 2\r\n\r\n", 400],
    ["too many trailers", `0\r\n${"X: 1\r\n".repeat(4)}\r\n`, 431],
    ["a trailer that is too long", `0\r\nX: ${"x".repeat(968)}\r\n\r\n`, 431],
    ["trailers without an end", `0\r\nX: ${"x".repeat(2_000)}`, 431],
  ])("%s", (_title, body, status) => {
    for (const pieces of ways(body)) {
      expect(decode(pieces)).toMatchObject({ status, isEnded: false });
    }
  });

  test.each([
    ["the end of a size", "3;a\0"],
    ["the end of data", "3\r\nabcx"],
    ["the LF after data", "3\r\nabc\rx"],
  ])("are rejected before the end of %s", (_title, body) => {
    expect(decode([...body]).status).toBe(400);
  });
});

test("any split of a body decodes to the same", () => {
  const extension = fc.stringMatching(
    /^(?:[ \t]{0,2};[ \t]{0,2}[a-z]{1,5}(?:=(?:[a-z]{1,5}|"[#-[]{0,5}"))?)?$/,
  );
  const chunk = fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), extension, fc.nat({ max: 3 }))
    .map(([bytes, text, zeros]) => ({
      data: Buffer.from(bytes).toString("latin1"),
      line: "0".repeat(zeros) + bytes.length.toString(16) + text,
    }));
  const trailer = fc.stringMatching(/^[a-z]{1,5}: [!-~]{0,5}$/);
  const bodies = fc.record({ chunks: fc.array(chunk), trailers: fc.array(trailer, { maxLength: 3 }) });
  fc.assert(
    fc.property(bodies, fc.array(fc.nat({ max: 500 })), ({ chunks, trailers }, cuts) => {
      const body =
        chunks.map(({ line, data }) => `${line}\r\n${data}\r\n`).join("") +
        `0\r\n${trailers.map((line) => `${line}\r\n`).join("")}\r\n`;
      const positions = [0, ...cuts.map((at) => at % body.length), body.length].sort((a, b) => a - b);
      const pieces = positions.slice(1).map((end, index) => body.slice(positions[index], end));
      expect(decode(pieces)).toEqual({
        data: chunks.map(({ data }) => data).join(""),
        trailers: trailers.length === 0 ? undefined : trailers.flatMap((line) => line.split(": ")),
        status: undefined,
        isEnded: true,
        rest: "",
      });
    }),
  );
});
