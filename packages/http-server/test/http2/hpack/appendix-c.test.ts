import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import { bytesOf } from "./bytes.js";

const GET = [":method", "GET", ":scheme", "http", ":path", "/"];
const REQUESTS = [
  [...GET, ":authority", "www.example.com"],
  [...GET, ":authority", "www.example.com", "cache-control", "no-cache"],
  [
    [":method", "GET", ":scheme", "https", ":path", "/index.html"],
    [":authority", "www.example.com", "custom-key", "custom-value"],
  ].flat(),
];
const REQUEST_TABLES = [
  [":authority", "www.example.com"],
  ["cache-control", "no-cache", ":authority", "www.example.com"],
  ["custom-key", "custom-value", "cache-control", "no-cache", ":authority", "www.example.com"],
];

const FIRST_DATE = ["date", "Mon, 21 Oct 2013 20:13:21 GMT"];
const LAST_DATE = ["date", "Mon, 21 Oct 2013 20:13:22 GMT"];
const PRIVATE = ["cache-control", "private"];
const LOCATION = ["location", "https://www.example.com"];
const GZIP = ["content-encoding", "gzip"];
const COOKIE = ["set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"];
const RESPONSES = [
  [":status", "302", ...PRIVATE, ...FIRST_DATE, ...LOCATION],
  [":status", "307", ...PRIVATE, ...FIRST_DATE, ...LOCATION],
  [":status", "200", ...PRIVATE, ...LAST_DATE, ...LOCATION, ...GZIP, ...COOKIE],
];
const RESPONSE_TABLES = [
  [...LOCATION, ...FIRST_DATE, ...PRIVATE, ":status", "302"],
  [":status", "307", ...LOCATION, ...FIRST_DATE, ...PRIVATE],
  [...COOKIE, ...GZIP, ...LAST_DATE],
];

/** The examples C.5 and C.6 assume a table of 256 bytes: a size update of 256. */
const TABLE_OF_256 = "3fe101";

const SEQUENCES = [
  {
    name: "C.3: requests without Huffman code",
    blocks: [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ],
    lists: REQUESTS,
    tables: REQUEST_TABLES,
  },
  {
    name: "C.4: requests with Huffman code",
    blocks: [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ],
    lists: REQUESTS,
    tables: REQUEST_TABLES,
  },
  {
    name: "C.5: responses without Huffman code",
    blocks: [
      `${TABLE_OF_256} 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
       2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
      "4803 3330 37c1 c0bf",
      `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a
       6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d
       6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31`,
    ],
    lists: RESPONSES,
    tables: RESPONSE_TABLES,
  },
  {
    name: "C.6: responses with Huffman code",
    blocks: [
      `${TABLE_OF_256} 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
       2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
      "4883 640e ffc1 c0bf",
      `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d
       d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106
       3d50 07`,
    ],
    lists: RESPONSES,
    tables: RESPONSE_TABLES,
  },
];

function decode(decoder: HpackDecoder, hex: string): readonly string[] | undefined {
  const bytes = bytesOf(hex);
  return decoder.decode(bytes, 0, bytes.length)?.list;
}

/** The entries of the dynamic table, as blocks that have one index each see them. */
function readTable(decoder: HpackDecoder, count: number): string[] {
  return Array.from({ length: count }, (_, i) => decode(decoder, (0x80 + 62 + i).toString(16)) ?? []).flat();
}

describe.each(SEQUENCES)("RFC 7541, appendix $name", ({ blocks, lists, tables }) => {
  test.each([0, 1, 2])("The block %i and those before it", (last) => {
    const decoder = new HpackDecoder({ maxHeaderBytes: 65_536, maxHeaderFields: 100 });
    for (let i = 0; i <= last; i++) expect(decode(decoder, blocks[i] ?? "")).toEqual(lists[i]);
    const table = tables[last] ?? [];
    expect(readTable(decoder, table.length / 2)).toEqual(table);
    // There are no more entries.
    expect(decode(decoder, (0x80 + 62 + table.length / 2).toString(16))).toBeUndefined();
  });
});

// RFC 7541, appendix C.2. The last column is the list that one more block, 0xbe, has: the newest entry of the table.
test.each([
  [
    "C.2.1: literal with indexing",
    "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
    ["custom-key", "custom-header"],
    ["custom-key", "custom-header"],
  ],
  [
    "C.2.2: literal without indexing",
    "040c 2f73 616d 706c 652f 7061 7468",
    [":path", "/sample/path"],
    undefined,
  ],
  [
    "C.2.3: literal never indexed",
    "1008 7061 7373 776f 7264 0673 6563 7265 74",
    ["password", "secret"],
    undefined,
  ],
  ["C.2.4: indexed", "82", [":method", "GET"], undefined],
])("RFC 7541, appendix %s", (_, hex, list, newest) => {
  const decoder = new HpackDecoder({ maxHeaderBytes: 65_536, maxHeaderFields: 100 });
  expect(decode(decoder, hex)).toEqual(list);
  expect(decode(decoder, "be")).toEqual(newest);
});
