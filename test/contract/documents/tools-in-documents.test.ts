import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { commentOn, firstSentence } from "connect-transcoding/openapi";
import { codeName, httpOptionsOf } from "connect-transcoding/rules";
import { expect, test } from "vitest";
// The package exports only what servers use.
import { httpStatusOf } from "../../../packages/connect-transcoding/src/errors/codes.js";
import { deriveCommands, type ToolCommand } from "../../../src/cli/commands.js";
import { loadDocumentation } from "../../../src/service/documentation.js";
import { TOOL_SERVICES } from "../../../src/tools/tool-services.js";
import { useServer } from "../support/serve.js";

// Documents that list commands, errors and data. Each failure prints what to paste.

const read = (file: string) => readFileSync(join(import.meta.dirname, "../../..", file), "utf8");
const README = read("README.md");
const COMMANDS_PAGE = read("docs/reference/command-line.md");
const ERRORS_PAGE = read("docs/reference/errors.md");
const NOTICE = read("NOTICE");

const { comments } = loadDocumentation();
const server = useServer();

const METHODS: readonly DescMethod[] = TOOL_SERVICES.flatMap(({ methods }) => methods);
const COMMANDS = deriveCommands(Object.values(SERVICES));
const purposeOf = (method: DescMethod) => firstSentence(commentOn(method, comments));

const TOOL_PAGES = readdirSync(join(import.meta.dirname, "../../../docs/tools")).map((name) =>
  read(`docs/tools/${name}`),
);

test.each(METHODS.filter(({ parent }) => parent.name !== "AboutService"))(
  "a page of docs/tools describes $name",
  ({ name }) => {
    expect(TOOL_PAGES.filter((page) => new RegExp(`\\b${name}\``).test(page))).toHaveLength(1);
  },
);

function commandRow({ name, method, operand, batch }: ToolCommand): string {
  const dots = batch === undefined ? "" : "...";
  const argument = operand === undefined ? "" : ` ${operand.name.toUpperCase()}${dots}`;
  return `| \`${name}${argument}\` | ${purposeOf(method)} |`;
}

test.each(COMMANDS)("the page of commands has a row for $name", (command) => {
  const hint = `docs/reference/command-line.md: add this row to the table of commands:\n${commandRow(command)}\n`;
  expect(new RegExp(`\`${command.name}[ \`]`).test(COMMANDS_PAGE), hint).toBe(true);
});

const ERRORS = METHODS.flatMap((method) =>
  httpOptionsOf(method).errors.map(({ code, reason, description }) => ({
    method,
    beginning: `| \`${reason}\` | \`${codeName(Number(code))}\` |`,
    end: ` ${httpStatusOf(Number(code))} | \`${method.name}\`: ${description} |`,
  })),
);

test.each(ERRORS)("the page of errors has $beginning of $method.name", ({ beginning, end }) => {
  const hint = `docs/reference/errors.md: add this row to the table of errors of methods:\n${beginning}${end}\n`;
  expect(ERRORS_PAGE.includes(`\n${beginning}`), hint).toBe(true);
});

test("NOTICE names the publisher and the license of all data", async () => {
  const about = await fetch(`${server.url}/v1/about`);
  const { sources } = (await about.json()) as { sources: { name: string; url: string; license: string }[] };
  const missing = sources.filter(({ url, license }) => !NOTICE.includes(url) || !NOTICE.includes(license));
  const lines = missing.map(({ name, url, license }) => `${name}, ${license}\n  ${url}\n  Copyright …`);
  expect(missing, `NOTICE: add these lines, with the copyright:\n\n${lines.join("\n\n")}\n`).toEqual([]);
});

test("README names the months of the bundled data", () => {
  const sources: Readonly<Record<string, readonly { builtAt?: string }[]>> = JSON.parse(
    read("data/SOURCES.json"),
  );
  const monthOf = (file: string) =>
    new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format(
      new Date(sources[file]?.[0]?.builtAt ?? ""),
    );
  expect(README).toContain(
    `Bundled data: locations from ${monthOf("city.columns")}, networks from ${monthOf("asn.mmdb")}.`,
  );
});
