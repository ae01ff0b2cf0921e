import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { useServer } from "../support/serve.js";

const server = useServer();
const off = useServer({ mcp: "off" });

interface Answer {
  readonly result: Record<string, never>;
  readonly error?: { readonly code: number };
}

/** Sends a request to `/mcp`. */
async function request(method: string, params: object = {}, url = server.url): Promise<[number, Answer]> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return [response.status, (await response.json()) as Answer];
}

/** A tool as clients see it. */
interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly $schema?: string };
  readonly outputSchema?: { readonly $schema?: string };
  readonly annotations: object;
}

async function listTools(): Promise<readonly Listed[]> {
  const [, { result }] = await request("tools/list");
  return result.tools ?? [];
}

/** Arguments for each tool. */
const CALLS: readonly [tool: string, args: object, expected: object][] = [
  [
    "otp_generate_otp",
    { label: "ada@example.org", issuer: "Example" },
    { structuredContent: { otp_url: expect.stringMatching(/^otpauth:/) } },
  ],
  ["otp_verify_otp", { secret: "JBSWY3DPEHPK3PXP" }, { structuredContent: expect.any(Object) }],
  [
    "otp_generate_hotp",
    { label: "ada@example.org", issuer: "Example" },
    { structuredContent: expect.any(Object) },
  ],
  [
    "otp_verify_hotp",
    { secret: "JBSWY3DPEHPK3PXP", counter: "0" },
    { structuredContent: expect.any(Object) },
  ],
  ["countries_list_countries", {}, { structuredContent: expect.any(Object) }],
  ["countries_get_country", { country: "FR" }, { structuredContent: expect.objectContaining({}) }],
  ["countries_search_countries", { query: "Paris" }, { structuredContent: expect.any(Object) }],
  [
    "geo_ip_lookup_ip",
    { ip_address: "8.8.8.8" },
    { structuredContent: { ip: "8.8.8.8", metadata: { location: { country: "US" } } } },
  ],
  ["geo_ip_lookup_self", {}, { isError: true }],
  ["geo_ip_batch_lookup_ips", { ip_addresses: ["8.8.8.8"] }, { structuredContent: expect.any(Object) }],
  ["geo_ip_lookup_asn", { asn: "AS15169" }, { structuredContent: { asn: 15169, asn_name: "Google LLC" } }],
  [
    "email_sanitize_email",
    { email: "X@Example.org" },
    { content: [{ type: "text", text: expect.stringContaining("x@example.org") }] },
  ],
  ["email_explain_email", { email: "X@Example.org" }, { structuredContent: expect.any(Object) }],
  ["email_batch_sanitize_emails", { emails: ["X@Example.org"] }, { structuredContent: expect.any(Object) }],
  ["barcode_render_barcode", { data: "hi" }, { content: [{ type: "image", mimeType: "image/png" }] }],
  ["about_get_about", {}, { structuredContent: expect.any(Object) }],
];

describe("/mcp", () => {
  test("lists a tool for each method, in 32 KiB", async () => {
    const tools = await listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(CALLS.map(([name]) => name).sort());
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(32 * 1024);
    for (const { title, description, annotations } of tools) {
      expect(annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
      expect(title.length).toBeGreaterThan(10);
      expect(description.startsWith(title)).toBe(true);
    }
  });

  test.each(CALLS)("calls %s", async (name, args, expected) => {
    const [status, { result, error }] = await request("tools/call", { name, arguments: args });
    expect([status, error]).toEqual([200, undefined]);
    expect(result).toMatchObject(expected);
    const { outputSchema: { $schema: _, ...schema } = {} } =
      (await listTools()).find((each) => each.name === name) ?? {};
    if (result.structuredContent !== undefined) {
      const ajv = new Ajv2020({ strict: false });
      expect([ajv.validate(schema, result.structuredContent), ajv.errors]).toEqual([true, null]);
    }
  });

  test("does not exist with MCP=off", async () => {
    expect((await request("tools/list", {}, off.url))[0]).toBe(404);
  });
});
