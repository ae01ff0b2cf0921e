import { createRegistry, type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { HttpError } from "../../src/transcoding/http-error.js";
import { createTranscoder, type Transcoder } from "../../src/transcoding/transcoder.js";
import { file_library_v1_library } from "../gen/library/v1/library_pb.js";
import { defineService, ruleOf } from "./define-service.js";

/** A request line, the route that must take it, and what the route's variables capture; empty ones are not listed. */
type Match = [request: string, route: string, captures?: JsonValue];

/** A request line, the status it must be refused with, and the methods that `Allow` must name. */
type Refusal = [request: string, status: 400 | 404 | 405, allow?: string];

/** Routes, each a method of its own (the first line is its rule, the others its additional bindings). */
interface Table {
  readonly routes: readonly (string | readonly [string, ...string[]])[];
  readonly matches: readonly Match[];
  readonly refusals?: readonly Refusal[];
}

const tables: Record<string, Table> = {
  "a literal comes before '*', and '*' before '**'": {
    routes: [
      "GET /v1/{name=**}",
      "GET /v1/{hall}",
      "GET /v1/books",
      "GET /v1/books/{book}",
      "GET /v1/{hall}/{shelf}",
      "GET /v1/{hall}/new",
      "GET /v1/books/new",
      "GET /{name=**}",
      "GET /v1/books/{name=**}",
      "GET /v1/{hall}/{shelf}/end",
    ],
    matches: [
      ["GET /v1/books", "GET /v1/books"],
      ["GET /v1/films", "GET /v1/{hall}", { hall: "films" }],
      ["GET /v1/books/new", "GET /v1/books/new"],
      ["GET /v1/books/old", "GET /v1/books/{book}", { book: "old" }],
      ["GET /v1/films/new", "GET /v1/{hall}/new", { hall: "films" }],
      ["GET /v1/films/old", "GET /v1/{hall}/{shelf}", { hall: "films", shelf: "old" }],
      ["GET /v1/books/a/b", "GET /v1/books/{name=**}", { name: "a/b" }],
      ["GET /v1/books/a/end", "GET /v1/books/{name=**}", { name: "a/end" }],
      ["GET /v1/films/a/end", "GET /v1/{hall}/{shelf}/end", { hall: "films", shelf: "a" }],
      ["GET /v1/films/a/b", "GET /v1/{name=**}", { name: "films/a/b" }],
      ["GET /v1/films/a/end/b", "GET /v1/{name=**}", { name: "films/a/end/b" }],
      ["GET /v1", "GET /v1/{name=**}"],
      ["GET /v1/", "GET /v1/{name=**}"],
      ["GET /v2", "GET /{name=**}", { name: "v2" }],
      ["GET /v2/books/new", "GET /{name=**}", { name: "v2/books/new" }],
      ["GET /", "GET /{name=**}"],
      ["GET /V1/books", "GET /{name=**}", { name: "V1/books" }],
    ],
    refusals: [
      ["POST /v1/books", 405, "GET, HEAD, OPTIONS"],
      ["POST /", 405, "GET, HEAD, OPTIONS"],
    ],
  },
  "a dead end is left again": {
    routes: [
      "GET /v1/a/b/c",
      "GET /v1/a/{shelf}/d",
      "GET /v1/{hall}/b/e",
      "GET /v1/{hall}/{shelf}/{book}",
      "GET /v1/a/{name=b/**}",
      "GET /v1/{hall}/b/{shelf}/d/{book}/f",
      "GET /v1/a/b/{shelf}/{book}/f/g",
    ],
    matches: [
      ["GET /v1/a/b/c", "GET /v1/a/b/c"],
      ["GET /v1/a/b/d", "GET /v1/a/{name=b/**}", { name: "b/d" }],
      ["GET /v1/a/x/d", "GET /v1/a/{shelf}/d", { shelf: "x" }],
      ["GET /v1/a/x/e", "GET /v1/{hall}/{shelf}/{book}", { hall: "a", shelf: "x", book: "e" }],
      ["GET /v1/a/b/e", "GET /v1/a/{name=b/**}", { name: "b/e" }],
      ["GET /v1/x/b/e", "GET /v1/{hall}/b/e", { hall: "x" }],
      ["GET /v1/x/b/c", "GET /v1/{hall}/{shelf}/{book}", { hall: "x", shelf: "b", book: "c" }],
      ["GET /v1/a/b", "GET /v1/a/{name=b/**}", { name: "b" }],
      ["GET /v1/x/b/c/d/e/f", "GET /v1/{hall}/b/{shelf}/d/{book}/f", { hall: "x", shelf: "c", book: "e" }],
      ["GET /v1/a/b/c/d/f/g", "GET /v1/a/b/{shelf}/{book}/f/g", { shelf: "c", book: "d" }],
      ["GET /v1/a/b/c/d/e/f", "GET /v1/a/{name=b/**}", { name: "b/c/d/e/f" }],
    ],
    refusals: [
      ["GET /v1/a/x", 404],
      ["GET /v1/x/b", 404],
      ["GET /v1/x/b/c/x/e/f", 404],
      ["GET /v1/x/b/c/d/e", 404],
      ["GET /v1/x/b/c/d/e/f/g", 404],
    ],
  },
  "a method that a route does not take is looked for in the others": {
    routes: [
      "GET /v1/books/new",
      "POST /v1/books/{book}",
      "DELETE /v1/{name=**}",
      "PUT /v1/books/new",
      "PATCH /v1/{hall}/{book}",
      "GET /v1/{hall}",
    ],
    matches: [
      ["GET /v1/books/new", "GET /v1/books/new"],
      ["PUT /v1/books/new", "PUT /v1/books/new"],
      ["POST /v1/books/new", "POST /v1/books/{book}", { book: "new" }],
      ["PATCH /v1/books/new", "PATCH /v1/{hall}/{book}", { hall: "books", book: "new" }],
      ["DELETE /v1/books/new", "DELETE /v1/{name=**}", { name: "books/new" }],
      ["DELETE /v1", "DELETE /v1/{name=**}"],
      ["HEAD /v1/books", "GET /v1/{hall}", { hall: "books" }],
    ],
    refusals: [
      ["BREW /v1/books/new", 405, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"],
      ["OPTIONS /v1/books/new", 405, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"],
      ["PUT /v1/books/old", 405, "DELETE, OPTIONS, PATCH, POST"],
      ["GET /v1/books/old", 405, "DELETE, OPTIONS, PATCH, POST"],
      ["HEAD /v1/books/old", 405, "DELETE, OPTIONS, PATCH, POST"],
      ["GET /v1/a/b/c", 405, "DELETE, OPTIONS"],
      ["POST /v1/a", 405, "DELETE, GET, HEAD, OPTIONS"],
      ["get /v1/a", 405, "DELETE, GET, HEAD, OPTIONS"],
      ["__proto__ /v1/a", 405, "DELETE, GET, HEAD, OPTIONS"],
      ["* /v1/a", 405, "DELETE, GET, HEAD, OPTIONS"],
      ["GET /v2", 404],
    ],
  },
  "each method of one path has its own names for the variables": {
    routes: [
      "GET /v1/{hall}/{shelf}",
      "PUT /v1/{shelf}/{hall}",
      "POST /v1/{name=*/*}",
      "DELETE /v1/{near.hall}/{near.near.book}",
      "PATCH /v1/*/{book}",
    ],
    matches: [
      ["GET /v1/a/b", "GET /v1/{hall}/{shelf}", { hall: "a", shelf: "b" }],
      ["PUT /v1/a/b", "PUT /v1/{shelf}/{hall}", { shelf: "a", hall: "b" }],
      ["POST /v1/a/b", "POST /v1/{name=*/*}", { name: "a/b" }],
      [
        "DELETE /v1/a/b",
        "DELETE /v1/{near.hall}/{near.near.book}",
        { near: { hall: "a", near: { book: "b" } } },
      ],
      ["PATCH /v1/a/b", "PATCH /v1/*/{book}", { book: "b" }],
    ],
    refusals: [["GET /v1/a", 404]],
  },
  "what is captured": {
    routes: [
      "GET /one/{name}",
      "GET /two/{name=*/*}",
      "GET /literal/{name=fixed}",
      "GET /literals/{name=a/b}",
      "GET /mixed/{name=halls/*/shelves/*}",
      "GET /rest/{name=**}",
      "GET /deep/{name=halls/*/**}",
      "GET /pair/{hall}/{name=**}",
      "GET /both/{hall=halls/*}/and/{shelf=shelves/*}",
      "GET /unnamed/*/{name}/*",
      "GET /tail/{name}/**",
    ],
    matches: [
      ["GET /one/a", "GET /one/{name}", { name: "a" }],
      ["GET /two/a/b", "GET /two/{name=*/*}", { name: "a/b" }],
      ["GET /literal/fixed", "GET /literal/{name=fixed}", { name: "fixed" }],
      ["GET /literals/a/b", "GET /literals/{name=a/b}", { name: "a/b" }],
      ["GET /mixed/halls/1/shelves/2", "GET /mixed/{name=halls/*/shelves/*}", { name: "halls/1/shelves/2" }],
      ["GET /rest/a/b/c", "GET /rest/{name=**}", { name: "a/b/c" }],
      ["GET /rest/a", "GET /rest/{name=**}", { name: "a" }],
      ["GET /rest", "GET /rest/{name=**}"],
      ["GET /deep/halls/1", "GET /deep/{name=halls/*/**}", { name: "halls/1" }],
      ["GET /deep/halls/1/2/3", "GET /deep/{name=halls/*/**}", { name: "halls/1/2/3" }],
      ["GET /pair/a/b/c", "GET /pair/{hall}/{name=**}", { hall: "a", name: "b/c" }],
      ["GET /pair/a", "GET /pair/{hall}/{name=**}", { hall: "a" }],
      [
        "GET /both/halls/1/and/shelves/2",
        "GET /both/{hall=halls/*}/and/{shelf=shelves/*}",
        { hall: "halls/1", shelf: "shelves/2" },
      ],
      ["GET /unnamed/a/b/c", "GET /unnamed/*/{name}/*", { name: "b" }],
      ["GET /tail/a", "GET /tail/{name}/**", { name: "a" }],
      ["GET /tail/a/b/c", "GET /tail/{name}/**", { name: "a" }],
      ["GET /one/a?name=a", "GET /one/{name}", { name: "a" }],
      ["GET /one/a?shelf=b/c%2Fd", "GET /one/{name}", { name: "a", shelf: "b/c/d" }],
      ["GET /one/a?", "GET /one/{name}", { name: "a" }],
      ["GET /one/a?shelf=?", "GET /one/{name}", { name: "a", shelf: "?" }],
    ],
    refusals: [
      ["GET /one", 404],
      ["GET /one/a/b", 404],
      ["GET /two/a", 404],
      ["GET /two/a/b/c", 404],
      ["GET /literal/other", 404],
      ["GET /literals/a", 404],
      ["GET /literals/a/b/c", 404],
      ["GET /mixed/halls/1/shelves", 404],
      ["GET /mixed/rooms/1/shelves/2", 404],
      ["GET /deep/halls", 404],
      ["GET /pair", 404],
      ["GET /both/halls/1/shelves/2", 404],
      ["GET /unnamed/a/b", 404],
      ["GET /tail", 404],
      ["GET /ONE/a", 404],
      ["GET /one?/a", 404],
    ],
  },
  "segments that are empty": {
    routes: ["GET /a/{name}", "GET /b/{name=**}", "GET /c", "GET /d/{hall}/{name=x/**}"],
    matches: [
      ["GET /b/", "GET /b/{name=**}"],
      ["GET /b/x/", "GET /b/{name=**}", { name: "x/" }],
      ["GET /b/x//y", "GET /b/{name=**}", { name: "x//y" }],
      ["GET /d/1/x/", "GET /d/{hall}/{name=x/**}", { hall: "1", name: "x/" }],
    ],
    refusals: [
      ["GET /a/", 404],
      ["GET /a//", 404],
      ["GET //a/x", 404],
      ["GET /a//x", 404],
      ["GET /a/x/", 404],
      ["GET /c/", 404],
      ["GET //c", 404],
      ["GET //", 404],
      ["GET /d//x/y", 404],
      ["GET ", 404],
      ["GET *", 404],
      ["GET ?", 404],
      ["GET ?a=/c", 404],
    ],
  },
  "percent-encoding": {
    routes: [
      "GET /one/{name}",
      "GET /all/{name=**}",
      "GET /two/{name=*/*}",
      "GET /caf%C3%A9/{name}",
      "GET /a%2Fb",
      "GET /a/b",
      "GET /%2A/{name}",
      "GET /sp%20ace",
      "GET /plain/x",
      "GET /{hall=%7Bx%7D}/{name=y%2Fz}",
    ],
    matches: [
      ["GET /one/%41", "GET /one/{name}", { name: "A" }],
      ["GET /one/a%20b", "GET /one/{name}", { name: "a b" }],
      ["GET /one/a+b", "GET /one/{name}", { name: "a+b" }],
      ["GET /one/a%2Bb", "GET /one/{name}", { name: "a+b" }],
      ["GET /one/a%2Fb", "GET /one/{name}", { name: "a/b" }],
      ["GET /one/a%2fb", "GET /one/{name}", { name: "a/b" }],
      ["GET /one/%2F", "GET /one/{name}", { name: "/" }],
      ["GET /one/%252F", "GET /one/{name}", { name: "%2F" }],
      ["GET /one/%25", "GET /one/{name}", { name: "%" }],
      ["GET /one/a%3Fb%23c", "GET /one/{name}", { name: "a?b#c" }],
      ["GET /one/%C3%A9", "GET /one/{name}", { name: "é" }],
      ["GET /one/%c3%a9", "GET /one/{name}", { name: "é" }],
      ["GET /one/%F0%9F%98%80", "GET /one/{name}", { name: "😀" }],
      ["GET /one/%00", "GET /one/{name}", { name: "\0" }],
      ["GET /one/%EF%BB%BF", "GET /one/{name}", { name: "\uFEFF" }],
      ["GET /one/..", "GET /one/{name}", { name: ".." }],
      ["GET /one/%2E%2E", "GET /one/{name}", { name: ".." }],
      ["GET /all/a%2Fb/c", "GET /all/{name=**}", { name: "a%2Fb/c" }],
      ["GET /all/a%2fb/c", "GET /all/{name=**}", { name: "a%2fb/c" }],
      ["GET /all/a%2Fb", "GET /all/{name=**}", { name: "a%2Fb" }],
      ["GET /all/%41%20%C3%A9/%25", "GET /all/{name=**}", { name: "A é/%" }],
      ["GET /all/%252F", "GET /all/{name=**}", { name: "%2F" }],
      ["GET /all/%2F%2F", "GET /all/{name=**}", { name: "%2F%2F" }],
      ["GET /two/a%2Fb/%63", "GET /two/{name=*/*}", { name: "a%2Fb/c" }],
      ["GET /%6Fne/a", "GET /one/{name}", { name: "a" }],
      ["GET /caf%C3%A9/a", "GET /caf%C3%A9/{name}", { name: "a" }],
      ["GET /caf%c3%a9/a", "GET /caf%C3%A9/{name}", { name: "a" }],
      ["GET /%63af%C3%A9/a", "GET /caf%C3%A9/{name}", { name: "a" }],
      ["GET /a%2Fb", "GET /a%2Fb"],
      ["GET /a%2fb", "GET /a%2Fb"],
      ["GET /a/b", "GET /a/b"],
      ["GET /*/x", "GET /%2A/{name}", { name: "x" }],
      ["GET /%2A/x", "GET /%2A/{name}", { name: "x" }],
      ["GET /sp%20ace", "GET /sp%20ace"],
      ["GET /%7Bx%7D/y%2Fz", "GET /{hall=%7Bx%7D}/{name=y%2Fz}", { hall: "{x}", name: "y/z" }],
    ],
    refusals: [
      ["GET /two/a%2Fb", 404],
      ["GET /sp+ace", 404],
      ["GET /one%2Fa", 404],
      ["GET %2Fplain/x", 404],
      ["GET /b/x", 404],
      ["GET /one/%", 400],
      ["GET /one/%4", 400],
      ["GET /one/%4x", 400],
      ["GET /one/%u0041", 400],
      ["GET /one/%FF", 400],
      ["GET /one/%C3", 400],
      ["GET /one/%C3/%A9", 400],
      ["GET /one/%C0%AF", 400],
      ["GET /one/%ED%A0%80", 400],
      ["GET /all/x/%F0%9F%98", 400],
      ["GET /all/%2F%FF", 400],
      ["GET /all/%C3%2F%A9", 400],
      ["GET /nowhere/%", 400],
      ["POST /one/%", 400],
    ],
  },
  "a verb behind a colon": {
    routes: [
      "GET /v1/books/{book}",
      "POST /v1/books/{book}:archive",
      "POST /v1/books:import",
      "GET /v1/books",
      "GET /v1/hosts/{name}",
      "GET /v1/nets/{name=**}",
      "POST /v1/nets/{name=**}:flush",
      "GET /v1/nets/{name=**}:count",
      "POST /v1/books/{book}:restore",
      "GET /v1/books/{book}/pages/{shelf}",
    ],
    matches: [
      ["GET /v1/books/1", "GET /v1/books/{book}", { book: "1" }],
      ["POST /v1/books/1:archive", "POST /v1/books/{book}:archive", { book: "1" }],
      ["POST /v1/books/1:restore", "POST /v1/books/{book}:restore", { book: "1" }],
      ["POST /v1/books/a:b:archive", "POST /v1/books/{book}:archive", { book: "a:b" }],
      ["POST /v1/books/a::archive", "POST /v1/books/{book}:archive", { book: "a:" }],
      ["POST /v1/books/a%3Ab:archive", "POST /v1/books/{book}:archive", { book: "a:b" }],
      ["POST /v1/books/archive:archive", "POST /v1/books/{book}:archive", { book: "archive" }],
      ["POST /v1/books/1:archive?hall=a:b", "POST /v1/books/{book}:archive", { book: "1", hall: "a:b" }],
      ["POST /v1/books:import", "POST /v1/books:import"],
      ["GET /v1/books/1:other", "GET /v1/books/{book}", { book: "1:other" }],
      ["GET /v1/books/1:Archive", "GET /v1/books/{book}", { book: "1:Archive" }],
      ["GET /v1/books/1:", "GET /v1/books/{book}", { book: "1:" }],
      ["GET /v1/books/:", "GET /v1/books/{book}", { book: ":" }],
      ["GET /v1/books/:import", "GET /v1/books/{book}", { book: ":import" }],
      ["GET /v1/books/1%3Aarchive", "GET /v1/books/{book}", { book: "1:archive" }],
      [
        "GET /v1/books/1:archive/pages/2",
        "GET /v1/books/{book}/pages/{shelf}",
        { book: "1:archive", shelf: "2" },
      ],
      ["GET /v1/hosts/2001:db8::1", "GET /v1/hosts/{name}", { name: "2001:db8::1" }],
      ["GET /v1/hosts/::1", "GET /v1/hosts/{name}", { name: "::1" }],
      ["GET /v1/hosts/::", "GET /v1/hosts/{name}", { name: "::" }],
      ["GET /v1/hosts/a:archive", "GET /v1/hosts/{name}", { name: "a:archive" }],
      ["GET /v1/hosts/a:80", "GET /v1/hosts/{name}", { name: "a:80" }],
      ["GET /v1/nets/2001:db8::/32", "GET /v1/nets/{name=**}", { name: "2001:db8::/32" }],
      ["GET /v1/nets/2001:db8::/32:count", "GET /v1/nets/{name=**}:count", { name: "2001:db8::/32" }],
      ["POST /v1/nets/2001:db8::/32:flush", "POST /v1/nets/{name=**}:flush", { name: "2001:db8::/32" }],
      ["POST /v1/nets:flush", "POST /v1/nets/{name=**}:flush"],
      ["POST /v1/nets/:flush", "POST /v1/nets/{name=**}:flush"],
      ["GET /v1/nets/a:flush/b", "GET /v1/nets/{name=**}", { name: "a:flush/b" }],
      ["GET /v1/nets/a:archive", "GET /v1/nets/{name=**}", { name: "a:archive" }],
      ["HEAD /v1/nets/a:count", "GET /v1/nets/{name=**}:count", { name: "a" }],
    ],
    refusals: [
      ["GET /v1/books/1:archive", 405, "OPTIONS, POST"],
      ["GET /v1/books:import", 405, "OPTIONS, POST"],
      ["POST /v1/books/1", 405, "GET, HEAD, OPTIONS"],
      ["POST /v1/books/1:other", 405, "GET, HEAD, OPTIONS"],
      ["POST /v1/books/:archive", 405, "GET, HEAD, OPTIONS"],
      ["POST /v1/books/1%3Aarchive", 405, "GET, HEAD, OPTIONS"],
      ["POST /v1/nets/a:count", 405, "GET, HEAD, OPTIONS"],
      ["POST /v1/books%3Aimport", 404],
      ["POST /v1/books:archive", 404],
      ["POST /v1/books/a/b:archive", 404],
      ["POST /v1/books/1/:archive", 404],
      ["POST /v1:import", 404],
    ],
  },
  "a verb, with a literal, '*' and '**' in front": {
    routes: [
      "POST /v1/{name=**}:run",
      "POST /v1/{hall}:run",
      "POST /v1/books:run",
      "POST /v1/{hall}/{book}:stop",
      "POST /v1/{name=**}",
    ],
    matches: [
      ["POST /v1/books:run", "POST /v1/books:run"],
      ["POST /v1/films:run", "POST /v1/{hall}:run", { hall: "films" }],
      ["POST /v1/films/1:run", "POST /v1/{name=**}:run", { name: "films/1" }],
      ["POST /v1:run", "POST /v1/{name=**}:run"],
      ["POST /v1/films/1:stop", "POST /v1/{hall}/{book}:stop", { hall: "films", book: "1" }],
      ["POST /v1/films:stop", "POST /v1/{name=**}", { name: "films:stop" }],
      ["POST /v1/a/b/c:stop", "POST /v1/{name=**}", { name: "a/b/c:stop" }],
      ["POST /v1/books", "POST /v1/{name=**}", { name: "books" }],
    ],
    refusals: [["POST /v2:run", 404]],
  },
  "HEAD stands for GET": {
    routes: ["GET /v1/a", "POST /v1/a", "POST /v1/b", "HEAD /v1/c", "GET /v1/c", "HEAD /v1/d"],
    matches: [
      ["HEAD /v1/a", "GET /v1/a"],
      ["GET /v1/a", "GET /v1/a"],
      ["HEAD /v1/c", "HEAD /v1/c"],
      ["GET /v1/c", "GET /v1/c"],
      ["HEAD /v1/d", "HEAD /v1/d"],
    ],
    refusals: [
      ["HEAD /v1/b", 405, "OPTIONS, POST"],
      ["PUT /v1/a", 405, "GET, HEAD, OPTIONS, POST"],
      ["PUT /v1/c", 405, "GET, HEAD, OPTIONS"],
      ["GET /v1/d", 405, "HEAD, OPTIONS"],
    ],
  },
  "custom methods": {
    routes: [
      "PURGE /v1/{name=**}",
      "* /v1/any",
      "GET /v1/both",
      "* /v1/both",
      "* /v1/all/{name=**}",
      "POST /v1/all/{hall}",
      "REPORT /v1/all/{hall}/x",
      "OPTIONS /v1/own",
      "* /v1/verb/{hall}:run",
    ],
    matches: [
      ["PURGE /v1/a/b", "PURGE /v1/{name=**}", { name: "a/b" }],
      ["GET /v1/any", "* /v1/any"],
      ["HEAD /v1/any", "* /v1/any"],
      ["POST /v1/any", "* /v1/any"],
      ["PURGE /v1/any", "* /v1/any"],
      ["BREW /v1/any", "* /v1/any"],
      ["GET /v1/both", "GET /v1/both"],
      ["HEAD /v1/both", "GET /v1/both"],
      ["PUT /v1/both", "* /v1/both"],
      ["POST /v1/all/a", "POST /v1/all/{hall}", { hall: "a" }],
      ["GET /v1/all/a", "* /v1/all/{name=**}", { name: "a" }],
      ["REPORT /v1/all/a/x", "REPORT /v1/all/{hall}/x", { hall: "a" }],
      ["BREW /v1/all/a/x", "* /v1/all/{name=**}", { name: "a/x" }],
      ["DELETE /v1/all", "* /v1/all/{name=**}"],
      ["OPTIONS /v1/own", "OPTIONS /v1/own"],
      ["BREW /v1/verb/a:run", "* /v1/verb/{hall}:run", { hall: "a" }],
    ],
    refusals: [
      ["GET /v1/a", 405, "OPTIONS, PURGE"],
      ["GET /v1/own", 405, "OPTIONS, PURGE"],
      ["GET /v1/verb/a", 405, "OPTIONS, PURGE"],
      ["purge /v1/a", 405, "OPTIONS, PURGE"],
      ["PURGE /v2", 404],
    ],
  },
  "additional bindings": {
    routes: [
      [
        "GET /v1/{name=halls/*}",
        "GET /v1/halls/{hall}/name",
        "POST /v1/halls:find",
        "* /v1/everything/{name=**}",
      ],
      ["GET /v2/{shelf}", "DELETE /v1/{name=halls/*}"],
    ],
    matches: [
      ["GET /v1/halls/1", "GET /v1/{name=halls/*}", { name: "halls/1" }],
      ["GET /v1/halls/1/name", "GET /v1/{name=halls/*}", { hall: "1" }],
      ["POST /v1/halls:find?name=x", "GET /v1/{name=halls/*}", { name: "x" }],
      ["BREW /v1/everything/a/b", "GET /v1/{name=halls/*}", { name: "a/b" }],
      ["GET /v2/halls", "GET /v2/{shelf}", { shelf: "halls" }],
      ["DELETE /v1/halls/1", "GET /v2/{shelf}", { name: "halls/1" }],
    ],
    refusals: [
      ["POST /v1/halls/1", 405, "DELETE, GET, HEAD, OPTIONS"],
      ["DELETE /v2/halls", 405, "GET, HEAD, OPTIONS"],
      ["GET /v1/halls:find", 405, "OPTIONS, POST"],
      ["GET /v1/halls", 404],
    ],
  },
  "names that JavaScript gives a meaning": {
    routes: [
      "GET /constructor/{name}",
      "GET /__proto__",
      "GET /toString/*:valueOf",
      "GET /{hall}/hasOwnProperty",
    ],
    matches: [
      ["GET /constructor/constructor", "GET /constructor/{name}", { name: "constructor" }],
      ["GET /__proto__", "GET /__proto__"],
      ["GET /toString/x:valueOf", "GET /toString/*:valueOf"],
      ["GET /__proto__/hasOwnProperty", "GET /{hall}/hasOwnProperty", { hall: "__proto__" }],
    ],
    refusals: [
      ["GET /constructor", 404],
      ["GET /hasOwnProperty", 404],
      ["constructor /__proto__", 405, "GET, HEAD, OPTIONS"],
      ["GET /toString/x:constructor", 404],
    ],
  },
};

const registry = createRegistry(file_library_v1_library);

/** The orders in which routes are declared: as written, backwards, and from every one of them on. */
function orders<T>(items: readonly T[]): T[][] {
  const turned = items.map((_, index) => [...items.slice(index), ...items.slice(0, index)]);
  return [...turned, ...turned.map((each) => each.toReversed())];
}

interface Router {
  readonly transcoder: Transcoder;
  /** The first line of a method's route, by the method's name. */
  readonly lines: ReadonlyMap<string, string>;
}

function createRouters({ routes }: Table): Router[] {
  const methods = routes.map((route, index) => {
    const [line, ...additional] = typeof route === "string" ? [route] : route;
    return { line, definition: { name: `Route${index}`, input: "Place", rule: ruleOf(line, additional) } };
  });
  const lines = new Map(methods.map(({ definition, line }) => [definition.name, line]));
  return orders(methods).map((order) => {
    const service = defineService(order.map(({ definition }) => definition));
    return {
      transcoder: createTranscoder(service.methods, { unknownParameters: "reject", registry }),
      lines,
    };
  });
}

function splitLine(request: string): [verb: string, target: string] {
  const space = request.indexOf(" ");
  return [request.slice(0, space), request.slice(space + 1)];
}

function matched({ transcoder, lines }: Router, request: string): [string | undefined, JsonValue] {
  const content = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
  const { method, message } = transcoder.find(...splitLine(request)).bind(content);
  return [lines.get(method.name), toJson(method.input, message, { registry })];
}

function refused({ transcoder }: Router, request: string): unknown[] {
  try {
    transcoder.find(...splitLine(request));
  } catch (error) {
    if (error instanceof HttpError) {
      const allow = error.headers.allow?.split(", ").toSorted().join(", ");
      return [error.status, error.reason, allow];
    }
    throw error;
  }
  return ["found"];
}

const REASONS = { 400: "MALFORMED_PATH", 404: "ROUTE_NOT_FOUND", 405: "METHOD_NOT_ALLOWED" };

describe.each(Object.entries(tables))("%s", (_, table) => {
  const routers = createRouters(table);

  test.each([...table.matches])("%s → %s", (request, line, captures = {}) => {
    for (const router of routers) {
      expect(matched(router, request)).toEqual([line, captures]);
    }
  });

  test.each([...(table.refusals ?? [])])("%s → %i", (request, status, allow) => {
    for (const router of routers) {
      expect(refused(router, request)).toEqual([status, REASONS[status], allow]);
    }
  });
});

test("every method of an open path is allowed", () => {
  const [router] = createRouters({ routes: ["* /v1/any"], matches: [] });
  expect(router?.transcoder.allowedMethods("/v1/any").toSorted()).toEqual([
    "DELETE",
    "GET",
    "HEAD",
    "OPTIONS",
    "PATCH",
    "POST",
    "PUT",
  ]);
});

test.each([
  ["GET /v1/{hall}", "GET /v1/{shelf}"],
  ["GET /v1/{hall}", "GET /v1/*"],
  ["GET /v1/{name=a/*}", "GET /v1/a/{hall}"],
  ["GET /v1/{name=**}", "GET /v1/**"],
  ["GET /v1/a%2Fb", "GET /v1/a%2fb"],
  ["GET /v1/%61", "GET /v1/a"],
  ["POST /v1/{hall}:run", "POST /v1/*:run"],
  ["PURGE /v1/a", "purge /v1/a"],
  ["* /v1/a", "* /v1/a"],
])("%s and %s cannot both be there", (first, second) => {
  expect(() => createRouters({ routes: [first, second], matches: [] })).toThrow(
    /one request could select both test\.Service\.Route\d .+ and test\.Service\.Route\d /,
  );
});

test("the tables are as large as they should be", () => {
  const count = Object.values(tables).flatMap(({ matches, refusals = [] }) => [
    ...matches,
    ...refusals,
  ]).length;
  expect(count).toBeGreaterThanOrEqual(150);
});

// What the engine gets wrong; not run.
const KNOWN_FAULTS: Record<string, Table> = {
  "the escapes of a verb are read like those of a literal": {
    routes: ["POST /v1/{name}:arch%C3%A9", "POST /v1/{name}:undo"],
    matches: [
      ["POST /v1/a:arch%C3%A9", "POST /v1/{name}:arch%C3%A9", { name: "a" }],
      ["POST /v1/a:arch%c3%a9", "POST /v1/{name}:arch%C3%A9", { name: "a" }],
      ["POST /v1/a:und%6F", "POST /v1/{name}:undo", { name: "a" }],
    ],
  },
  "a target that does not begin with a slash is no path": {
    routes: ["GET /v1/{name}", "GET /v2/{name=**}"],
    matches: [],
    refusals: [
      ["GET x/v1/a", 404],
      ["GET http:/v1/a", 404],
      ["GET http:/v2/a", 404],
      ["GET */v1/a", 404],
    ],
  },
};
void KNOWN_FAULTS;
