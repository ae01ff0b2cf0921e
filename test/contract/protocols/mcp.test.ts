import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { useServer } from "../support/serve.js";

// Requests of people, with the tool and the arguments that a language model chose for each from the list of tools alone.

const server = useServer({ trustedProxies: ["127.0.0.1"] });
const off = useServer({ mcp: "off" });

/** What people ask, the arguments, and a part of the result, by tool. */
const REQUESTS: Readonly<Record<string, readonly [request: string, args: object, result: string][]>> = {
  geo_ip_lookup_ip: [
    ["Where is 8.8.8.8?", { ip_address: "8.8.8.8" }, '"country":"US"'],
    [
      "Which company owns the network of 1.1.1.1?",
      { ip_address: "1.1.1.1" },
      '"asn_name":"Cloudflare, Inc."',
    ],
    ["In which country is 2001:4860:4860::8888?", { ip_address: "2001:4860:4860::8888" }, '"country":"CA"'],
    ["What is the ASN of 9.9.9.9?", { ip_address: "9.9.9.9" }, '"asn":19281'],
    [
      "In which time zone is a visitor with the address 81.2.69.142?",
      { ip_address: "81.2.69.142", view: "full" },
      '"time_zone":"Europe/London"',
    ],
    ["Give me coordinates for 193.0.6.139.", { ip_address: "193.0.6.139" }, '"coords":{"lat":52'],
    ["Is 185.199.108.153 in the European Union?", { ip_address: "185.199.108.153" }, '"eu":false'],
    [
      "Everything you know about 208.67.222.222, please.",
      { ip_address: "208.67.222.222", view: "full" },
      '"city":"San Jose',
    ],
    [
      "Which network does ::ffff:8.8.8.8 belong to?",
      { ip_address: "::ffff:8.8.8.8" },
      '"subnet":"8.8.8.0/24"',
    ],
  ],
  geo_ip_batch_lookup_ips: [
    [
      "These came up in my log: 8.8.8.8, 1.1.1.1 and 9.9.9.9. Where are they?",
      { ip_addresses: ["8.8.8.8", "1.1.1.1", "9.9.9.9"] },
      '"input":"9.9.9.9"',
    ],
    [
      "Do 8.8.4.4 and 1.0.0.1 belong to the same provider?",
      { ip_addresses: ["8.8.4.4", "1.0.0.1"] },
      '"asn_name":"Cloudflare, Inc."',
    ],
    [
      "Tell me all details of 8.8.8.8 and 192.168.0.1.",
      { ip_addresses: ["8.8.8.8", "192.168.0.1"], view: "full" },
      '"reason":"RESERVED_ADDRESS"',
    ],
  ],
  geo_ip_lookup_self: [
    ["What is my IP address?", {}, '"ip":"81.2.69.142"'],
    ["Where am I, going by my connection?", { view: "full" }, '"city":"London"'],
  ],
  geo_ip_lookup_asn: [
    ["Who is AS13335?", { asn: "AS13335" }, '"asn_name":"Cloudflare, Inc."'],
    ["How many IPv4 addresses does AS 3320 have?", { asn: "3320" }, '"ipv4_addresses":34157056'],
    ["In which countries is ASN 749?", { asn: "749" }, '"country":"JP"'],
    ["Give me the five largest networks of AS714.", { asn: "714", limit: 5 }, '"17.0.0.0/10"'],
  ],
  countries_list_countries: [
    ["List all countries.", {}, '"name":"Åland Islands"'],
    ["How many countries are there?", {}, '"code2":"ZW"'],
    ["I need a drop-down of countries in German.", { language: "de" }, '"localized_name":"Ägypten"'],
    ["What are all countries called in Japanese?", { language: "ja" }, '"localized_name":"アイスランド"'],
  ],
  countries_get_country: [
    ["What is the capital of France?", { country: "FR" }, '"capital":"Paris"'],
    ["Which states does Brazil have?", { country: "BR" }, '"code":"BR-SP"'],
    ["What is Spain called in Finnish?", { country: "ES", language: "fi" }, '"localized_name":"Espanja"'],
    ["Which currency does Japan use?", { country: "JP" }, '"code":"JPY"'],
    ["Which country has the code KAZ?", { country: "KAZ" }, '"name":"Kazakhstan"'],
    ["What is the calling code of Kosovo?", { country: "XK" }, '"calling_codes":["+383"]'],
    ["Which languages do people speak in Switzerland?", { country: "CH" }, '"native_name":"Rumantsch"'],
  ],
  countries_search_countries: [
    ["Where is Yvelines?", { query: "Yvelines" }, '"code":"FR-78"'],
    ["Where do people pay with the zloty?", { query: "zloty" }, '"code2":"PL"'],
    ["Which countries use the euro?", { query: "EUR", limit: 50 }, '"code2":"HR"'],
    ["Whose flag is 🇧🇹?", { query: "🇧🇹" }, '"code2":"BT"'],
    ["What country is the domain example.tv from?", { query: ".tv" }, '"code2":"TV"'],
    ["Which country has the time zone Asia/Kathmandu?", { query: "Asia/Kathmandu" }, '"code2":"NP"'],
    ["Which country plays as SUI at the Olympics?", { query: "SUI" }, '"code2":"CH"'],
  ],
  email_sanitize_email: [
    [
      "Clean up the address Jane.Doe+news@GoogleMail.com.",
      { email: "Jane.Doe+news@GoogleMail.com" },
      '"janedoe@gmail.com"',
    ],
    ["Which mailbox does x+spam@outlook.com go to?", { email: "x+spam@outlook.com" }, '"x@outlook.com"'],
    ["What is post@münchen.de in ASCII?", { email: "post@münchen.de" }, '"post@xn--mnchen-3ya.de"'],
  ],
  email_explain_email: [
    ["Why does j.doe+x@gmail.com reach jdoe@gmail.com?", { email: "j.doe+x@gmail.com" }, "Gmail ignores"],
    ["Is bob@mailinator.com a disposable address?", { email: "bob@mailinator.com" }, '"disposable":true'],
    ["Is ada@yahoo.com an address of a free provider?", { email: "ada@yahoo.com" }, '"free_provider":true'],
    [
      'What is the address in "Jane Doe <jane@example.com>"?',
      { email: "Jane Doe <jane@example.com>" },
      '"email":"jane@example.com"',
    ],
    ["Is there a typo in ada@gmial.com?", { email: "ada@gmial.com" }, '"did_you_mean":"ada@gmail.com"'],
  ],
  email_batch_sanitize_emails: [
    [
      "Which of these are the same mailbox: a.b@gmail.com, ab@googlemail.com, ab+1@gmail.com?",
      { emails: ["a.b@gmail.com", "ab@googlemail.com", "ab+1@gmail.com"] },
      '"email":"ab@gmail.com"',
    ],
    [
      "Normalize my list: X@Example.org, not an address, y+z@fastmail.com.",
      { emails: ["X@Example.org", "not an address", "y+z@fastmail.com"] },
      '"reason":"AT_SIGN_MISSING"',
    ],
  ],
  barcode_render_barcode: [
    ["Make a QR code for https://example.com.", { data: "https://example.com" }, "image/png"],
    [
      "I want an SVG of a QR code with my phone number, tel:+4930123456.",
      { data: "tel:+4930123456", format: "svg" },
      "<svg ",
    ],
    ['Draw a QR code of "hello" in my terminal.', { data: "hello", format: "text" }, "█▀█"],
    [
      "A blue QR code, 600 pixels wide, that survives scratches, for WIFI:T:WPA;S:Guest;P:welcome;;",
      { data: "WIFI:T:WPA;S:Guest;P:welcome;;", size: 600, error_correction: "high", foreground: "0000ff" },
      "image/png",
    ],
  ],
  otp_generate_otp: [
    [
      "Set up two-factor authentication for ada@example.org at Example.",
      { label: "ada@example.org", issuer: "Example" },
      "otpauth://totp/Example:ada",
    ],
    ["I need a new TOTP secret with eight digits.", { digits: 8 }, '"digits":8'],
  ],
  otp_verify_otp: [
    [
      "What is the current code for the secret JBSWY3DPEHPK3PXP?",
      { secret: "JBSWY3DPEHPK3PXP" },
      '"current":"',
    ],
    [
      "Is 123456 right for otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP&issuer=Example?",
      { key_uri: "otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP&issuer=Example" },
      '"current":"',
    ],
  ],
  otp_generate_hotp: [
    ["Create a secret for a counter-based token that starts at 5.", { counter: 5 }, '"counter":5'],
  ],
  otp_verify_hotp: [
    [
      "What are the HOTP codes of JBSWY3DPEHPK3PXP from counter 7?",
      { secret: "JBSWY3DPEHPK3PXP", counter: 7 },
      '"counter":16',
    ],
  ],
  about_get_about: [
    ["How old is your IP data, and who publishes it?", {}, '"publisher":"'],
    ["Which version of Utility Tools is this?", {}, '"version":"'],
  ],
};

/** A tool as clients see it. */
interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly outputSchema?: { readonly $schema?: string };
  readonly annotations: object;
}

/** What the tests read of a result. */
interface Result {
  readonly tools: readonly Listed[];
  readonly isError?: boolean;
  readonly content: readonly [{ readonly text?: string; readonly mimeType?: string }];
  readonly structuredContent?: object;
}

/** Sends a request to `/mcp`. */
function send(method: string, params: object = {}, url = server.url): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": "81.2.69.142" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

async function resultOf(method: string, params?: object): Promise<Result> {
  const { result } = (await (await send(method, params)).json()) as { readonly result: Result };
  return result;
}

let tools: readonly Listed[] = [];
beforeAll(async () => {
  ({ tools } = await resultOf("tools/list"));
});

describe.each(Object.entries(REQUESTS))("%s", (name, requests) => {
  test.each(requests)("%s", async (_, args, expected) => {
    const { isError, content, structuredContent } = await resultOf("tools/call", { name, arguments: args });
    expect(isError).toBeUndefined();
    expect(content[0].text ?? content[0].mimeType).toContain(expected);
    if (structuredContent !== undefined) {
      const { $schema, ...schema } = tools.find((each) => each.name === name)?.outputSchema ?? {};
      const ajv = new Ajv2020({ strict: false });
      expect([ajv.validate(schema, structuredContent), ajv.errors]).toEqual([true, null]);
    }
  });
});

test("each method is a tool that is asked for, in 32 KiB and without words about HTTP", () => {
  expect(Object.keys(REQUESTS).sort()).toEqual(tools.map(({ name }) => name).sort());
  const text = JSON.stringify(tools);
  expect(text.length).toBeLessThanOrEqual(32 * 1024);
  expect(text).not.toMatch(/HTTP|Request message|header/);
  for (const { title, description, annotations } of tools) {
    expect(annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(title.length).toBeGreaterThan(10);
    expect(description.startsWith(title)).toBe(true);
  }
});

test("nothing is there with MCP=off", async () => {
  expect((await send("tools/list", {}, off.url)).status).toBe(404);
});
