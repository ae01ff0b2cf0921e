import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../../src/config/read-config.js";
import { PACKAGE_FOLDER } from "../../../src/installed-package.js";
import { load, loadInstalledLists } from "../../../src/tools/email/load-email.js";
import type { ToolEvent } from "../../../src/tools/tool.js";
import { callUnary } from "../call.js";

const INSTALLED = join(PACKAGE_FOLDER, "data", "email", "disposable-domains.txt");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "email-lists-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the installed lists", () => {
  it("have the well-known domains and names, and no domain in two of them", async () => {
    const loaded = await loadInstalledLists();
    const lists = loaded.ok ? loaded.value.lists : expect.unreachable(loaded.failure.description);
    const { disposable, moreDisposable, freeProviders, commonProviders, relays, roleNames } = lists;
    const known = {
      disposable: ["mailinator.com", "yopmail.com"],
      moreDisposable: ["temp-mail.io"],
      freeProviders: [
        "gmail.com",
        "t-online.de",
        "riseup.net",
        "virginmedia.com",
        "shaw.ca",
        "telenet.be",
        "ziggo.nl",
      ],
      relays: ["duck.com", "mozmail.com", "privaterelay.appleid.com", "simplelogin.com"],
      roleNames: ["postmaster", "abuse", "info", "compta", "rh", "contabilidad", "ventas", "vertrieb"],
      topLevelDomains: ["com", "xn--p1ai"],
    };
    for (const [name, values] of Object.entries(known)) {
      expect(values.filter((value) => !lists[name as keyof typeof known].has(value))).toEqual([]);
    }
    expect([...commonProviders].slice(0, 3)).toEqual(["gmail.com", "yahoo.com", "hotmail.com"]);
    expect([...commonProviders].filter((domain) => !freeProviders.has(domain))).toEqual([]);
    const isThrownAway = (domain: string) => disposable.has(domain) || moreDisposable.has(domain);
    expect([...freeProviders].filter((domain) => isThrownAway(domain) || relays.has(domain))).toEqual([]);
    expect([...disposable, ...relays].filter((domain) => moreDisposable.has(domain))).toEqual([]);
    // Names of people and places, which lists of role names contain.
    expect(["alexa", "alla", "paris", "md"].filter((name) => roleNames.has(name))).toEqual([]);
  });

  it("have sources with licenses and dates", async () => {
    const loaded = await loadInstalledLists();
    expect(loaded.ok && loaded.value.sources).toMatchObject([
      { license: "Apache-2.0", version: "2026-11-28", builtAt: undefined },
      { name: "Disposable email domains", license: "CC0-1.0 AND MIT", builtAt: new Date("2026-11-09") },
      ...["MIT", "MIT", "ISC", "ISC", "MIT", "MIT", "MIT", "MIT", "MIT", "MIT"].map((license) => ({
        license,
      })),
    ]);
  });
});

describe("a list in the data folder", () => {
  const write = (text: string) => writeFileSync(join(folder, "disposable.txt"), text);

  async function loadTool(onChange: (listener: () => void) => void = () => {}) {
    const events: ToolEvent[] = [];
    const config = readConfig({ DATA_DIR: folder });
    const tool = await load({
      config: config.ok ? config.value : expect.unreachable(),
      now: Date.now,
      randomBytes: () => new Uint8Array(),
      watchFiles: async (_paths, listener) => {
        onChange(listener);
        return { stop: () => {} };
      },
      report: (event) => events.push(event),
      countries: () => Promise.reject(new Error("not needed")),
      tools: () => [],
    });
    const service = tool.ok ? tool.value : expect.unreachable();
    const isDisposable = async (email: string) =>
      (await callUnary(service, EmailService.method.explainEmail, { email })).disposable;
    return { service, events, isDisposable };
  }

  it("replaces the installed one, with the time of its download", async () => {
    write("new.example\n");
    utimesSync(join(folder, "disposable.txt"), 1_800_000_000, 1_800_000_000);
    const { service, isDisposable, events } = await loadTool();
    expect([await isDisposable("a@new.example"), await isDisposable("a@mailinator.com")]).toEqual([
      true,
      false,
    ]);
    expect(service.sources?.()[1]).toMatchObject({
      license: "NOASSERTION",
      builtAt: new Date(1_800_000_000_000),
    });
    const files = [join(folder, "disposable.txt")];
    expect(events).toMatchObject([{ kind: "data_loaded", files, outdated: [], isReplacement: false }]);
    expect(service.files?.()).toEqual(files);
  });

  it("is not used if the installed one is newer, and reported", async () => {
    write("new.example\n");
    const file = join(folder, "disposable.txt");
    utimesSync(file, 1_600_000_000, 1_600_000_000);
    const { service, isDisposable, events } = await loadTool();
    expect([await isDisposable("a@new.example"), await isDisposable("a@mailinator.com")]).toEqual([
      false,
      true,
    ]);
    const files = [INSTALLED];
    expect(events).toMatchObject([{ kind: "data_loaded", files, outdated: [file], isReplacement: false }]);
    expect(service.files?.()).toEqual(files);
  });

  it("is reported if it cannot be used, and reloaded when it changes", async () => {
    write("<html>");
    let change = () => {};
    const { isDisposable, events } = await loadTool((listener) => {
      change = listener;
    });
    expect(await isDisposable("a@mailinator.com")).toBe(true);
    expect(events).toMatchObject([
      { kind: "data_refused", reason: "BROKEN_EMAIL_LIST", hasOlderData: true },
      { kind: "data_loaded", files: [INSTALLED], isReplacement: false },
    ]);
    expect(events[0]).toHaveProperty(
      "description",
      expect.stringMatching(/disposable\.txt .*; \S+disposable-domains\.txt is used$/),
    );
    write("newer.example\n");
    change();
    await expect.poll(() => isDisposable("a@newer.example")).toBe(true);
    write("<html>");
    change();
    await expect.poll(() => events.length).toBe(4);
    const files = [join(folder, "disposable.txt")];
    expect(events[2]).toMatchObject({ kind: "data_loaded", files, isReplacement: true });
    expect(events[3]).toMatchObject({
      kind: "data_refused",
      description: expect.not.stringContaining("used"),
    });
    expect(await isDisposable("a@newer.example")).toBe(true);
    rmSync(join(folder, "disposable.txt"));
    change();
    await expect.poll(() => events.length).toBe(5);
    expect(events[4]).toMatchObject({ kind: "data_loaded", files: [INSTALLED], isReplacement: true });
  });
});
