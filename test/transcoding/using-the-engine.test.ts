import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { request as send } from "node:http";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { useListening } from "../use-listening.js";
import { createExampleServer } from "./example-server.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/using-the-engine.md"), "utf8");

const blocks = [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language, text = ""]) => ({
  language,
  text,
}));
const exchanges = blocks.flatMap(({ language, text }, index) => {
  const answer = blocks[index + 1]?.text;
  return language === "http" && answer !== undefined ? [{ text, answer }] : [];
});

const server = useListening(createExampleServer());

/** Sends a request written as in the page: its line, headers, and a body behind an empty line. */
async function exchange(text: string): Promise<{ status: number | undefined; body: string }> {
  const [head = "", body = ""] = text.trim().split("\n\n");
  const [line = "", ...headers] = head.split("\n");
  const [method, path] = line.split(" ");
  const sent = send({
    port: server.port,
    method,
    path,
    headers: Object.fromEntries(headers.map((each) => each.split(": "))),
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  return { status: response.statusCode, body: (await response.toArray()).join("") };
}

test("the page shows the server as it is", () => {
  const source = readFileSync(join(import.meta.dirname, "example-server.ts"), "utf8");
  expect(blocks.filter(({ language }) => language === "ts").map(({ text }) => text)).toEqual([source]);
});

test("the server answers as the page shows, one request after the other", async () => {
  expect(exchanges).toHaveLength(3);
  for (const { text, answer } of exchanges) {
    expect((await exchange(text)).body).toBe(answer.trim());
  }
});

test("the server answers what the page does not show", async () => {
  expect(await exchange("OPTIONS /v1/shelves/1/books/2")).toEqual({ status: 204, body: "" });
  expect(await exchange("HEAD /v1/shelves/novels/books/1")).toEqual({ status: 200, body: "" });
  expect((await exchange("GET /nowhere")).status).toBe(404);
  expect((await exchange("DELETE /v1/books/1")).status).toBe(405);
  const large = `POST /v1/shelves/1/books\ncontent-type: application/json\n\n"${"a".repeat(64 * 1024)}"`;
  expect((await exchange(large)).status).toBe(413);
});

test("the page lists all that the engine needs", () => {
  const folder = "src/transcoding";
  const needed = new Set<string>();
  const visit = (file: string): void => {
    if (needed.has(file)) {
      return;
    }
    needed.add(file);
    if (file.startsWith("gen/")) {
      return;
    }
    for (const [, name = ""] of readFileSync(join(ROOT, file), "utf8").matchAll(/ from "([^"]+)"/g)) {
      if (name.startsWith(".")) {
        visit(relative(ROOT, join(ROOT, dirname(file), name.replace(/\.js$/, ".ts"))));
      } else {
        needed.add(name.split("/").slice(0, 2).join("/"));
      }
    }
  };
  for (const file of readdirSync(join(ROOT, folder))) {
    visit(join(folder, file));
  }
  const listed = [...PAGE.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  const isListed = (name: string) =>
    listed.some((each) => name === each || (each.endsWith("/") && name.startsWith(each)));
  expect([...needed].filter((name) => !name.startsWith("node:") && !isListed(name))).toEqual([]);
  const isNeeded = (name: string) => [...needed].some((each) => each.startsWith(name));
  expect(listed.filter((name) => !isNeeded(name))).toEqual([]);
});
