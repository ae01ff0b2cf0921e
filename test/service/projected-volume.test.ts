import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { TLS } from "connect-transcoding-testing/files.js";
import { endPrograms, type Program, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, beforeEach, expect, test } from "vitest";
import { MAIN } from "../support/programs.js";
import { writeVolume } from "../support/projected-volume.js";
import { mmdbBytes } from "../tools/geoip/test-databases.js";

// The program, with its files in volumes of Kubernetes. All workers reload them.
const WORKERS = 2;

const pem = (name: string) => readFileSync(join(TLS, name));
const FIRST_PAIR = { "tls.crt": pem("first-cert.pem"), "tls.key": pem("first-key.pem") };
const SECOND_PAIR = { "tls.crt": pem("second-cert.pem"), "tls.key": pem("second-key.pem") };
const CA = [FIRST_PAIR["tls.crt"], SECOND_PAIR["tls.crt"]];

const FIRST_KEY = "first-".padEnd(40, "x");
const SECOND_KEY = "second-".padEnd(40, "x");
const keyFile = (name: string, key: string) => ({
  keys: `${name} ${createHash("sha256").update(key).digest("hex")}\n`,
});

const ASN = mmdbBytes({ "8.0.0.0/8": { autonomous_system_number: 15_169 } });
const database = (country: string) => ({
  "city.mmdb": mmdbBytes({ "8.0.0.0/8": { country_code: country } }),
  "asn.mmdb": ASN,
});

const folder = mkdtempSync(join(tmpdir(), "projected-volume-"));
const [tls, keys, data] = ["tls", "keys", "data"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
let program: Program;
let url: string;

beforeEach(async () => {
  await writeVolume(tls, FIRST_PAIR);
  await writeVolume(keys, keyFile("first", FIRST_KEY));
  await writeVolume(data, database("FR"));
  program = runProgram([MAIN], {
    PORT: "0",
    WORKERS: String(WORKERS),
    TLS_CERT_FILE: join(tls, "tls.crt"),
    TLS_KEY_FILE: join(tls, "tls.key"),
    API_KEYS_FILE: join(keys, "keys"),
    GEOIP_CITY_FILES: join(data, "city.mmdb"),
    GEOIP_ASN_FILES: join(data, "asn.mmdb"),
  });
  [, url = ""] = await program.says(/is ready on (\S+).*\n/);
});
afterAll(() => {
  endPrograms();
  rmSync(folder, { recursive: true });
});

/** The response to a lookup over a new connection, and the serial number of the server's certificate. */
async function lookUp(key: string) {
  return new Promise<{ status: number | undefined; country: unknown; serial: string }>((resolve, reject) => {
    const headers = { "x-api-key": key };
    get(`${url}/v1/geoIp?ip_address=8.8.8.8`, { ca: CA, agent: false, headers }, async (response) => {
      const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
      const body = (await json(response)) as { metadata?: { location: { country: string } } };
      resolve({ status: response.statusCode, country: body.metadata?.location.country, serial });
    }).on("error", reject);
  });
}

/** Waits until every worker has logged a message `times` times. */
function allSay(message: string, times = 1): Promise<unknown> {
  return program.says(new RegExp(`(?:"msg":"${message}"[^]*){${times * WORKERS}}`));
}

test("keys, certificates and data are reloaded when a volume is updated", async () => {
  const before = await lookUp(FIRST_KEY);
  expect(before).toMatchObject({ status: 200, country: "FR" });
  expect(await lookUp(SECOND_KEY)).toMatchObject({ status: 401 });

  await writeVolume(keys, keyFile("second", SECOND_KEY));
  await allSay("API keys replaced");
  for (let requests = 0; requests < 10; requests++) {
    expect(await lookUp(FIRST_KEY)).toMatchObject({ status: 401 });
    expect(await lookUp(SECOND_KEY)).toMatchObject({ status: 200 });
  }

  await writeVolume(tls, SECOND_PAIR);
  await allSay("certificate replaced");
  for (let requests = 0; requests < 10; requests++) {
    expect((await lookUp(SECOND_KEY)).serial).not.toBe(before.serial);
  }

  await writeVolume(data, database("DE"));
  await allSay("data replaced");
  for (let requests = 0; requests < 10; requests++) {
    expect((await lookUp(SECOND_KEY)).country).toBe("DE");
  }

  // The next updates, back to the first content.
  await writeVolume(keys, keyFile("first", FIRST_KEY));
  await writeVolume(tls, FIRST_PAIR);
  await writeVolume(data, database("FR"));
  await Promise.all([
    allSay("API keys replaced", 2),
    allSay("certificate replaced", 2),
    allSay("data replaced", 2),
  ]);
  expect(await lookUp(FIRST_KEY)).toEqual(before);
  expect(program.out()).not.toContain('"level":"error"');
  expect(program.err()).toBe("");
});

test("a file that is removed from a volume leaves its content in use, until it is back", async () => {
  await writeVolume(keys, {});
  await allSay('the file of API keys [^"]*does not exist; the previous keys stay in use');
  expect(await lookUp(FIRST_KEY)).toMatchObject({ status: 200 });
  await writeVolume(keys, keyFile("second", SECOND_KEY));
  await allSay("API keys replaced");
  expect(await lookUp(FIRST_KEY)).toMatchObject({ status: 401 });
  expect(await lookUp(SECOND_KEY)).toMatchObject({ status: 200 });
});
