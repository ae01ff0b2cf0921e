import { describe, expect, test } from "vitest";
import { useServer } from "./serve.js";

const server = useServer();

const CLOSED = "default-src 'none'; frame-ancestors 'none'";

describe("what browsers are told", () => {
  test.each<[string, number, string | null]>([
    ["/v1/countries", 200, null],
    ["/v1/geoIp?ip_address=x", 400, null],
    ["/nowhere", 404, null],
    ["/v1/barcode?type=qr_code&data=x", 200, CLOSED],
    ["/v1/barcode?type=qr_code&data=x&format=png", 200, CLOSED],
    ["/docs/docs.js", 200, expect.stringMatching(/^default-src 'none'; script-src 'self'/)],
    ["/docs", 200, expect.stringMatching(/^default-src 'none'; script-src 'self'/)],
  ])("%s", async (path, status, policy) => {
    const response = await fetch(`${server.url}${path}`);
    await response.arrayBuffer();
    const header = (name: string) => response.headers.get(name);
    expect([response.status, header("x-content-type-options"), header("content-security-policy")]).toEqual([
      status,
      "nosniff",
      policy,
    ]);
  });

  test("of the text of an e-mail address", async () => {
    const response = await fetch(`${server.url}/v1/sanitizeEmail`, {
      method: "POST",
      body: new URLSearchParams({ email: "a@b.example" }),
    });
    expect(await response.text()).toBe("a@b.example");
    expect(response.headers.get("content-security-policy")).toBe(CLOSED);
  });
});
