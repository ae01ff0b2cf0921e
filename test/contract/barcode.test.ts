import { Resvg } from "@resvg/resvg-js";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import jsqr from "jsqr";
import { PNG } from "pngjs";
import { describe, expect, test } from "vitest";
import { connectClients, grpcJsClient } from "./clients.js";
import { useServer } from "./serve.js";

const server = useServer();

/** Decodes the QR code in an image. */
function decode(contentType: string | null, image: Uint8Array): string | undefined {
  const bytes = contentType === "image/svg+xml" ? new Resvg(Buffer.from(image)).render().asPng() : image;
  const { data, width, height } = PNG.sync.read(Buffer.from(bytes));
  return readQrCode(new Uint8ClampedArray(data), width, height)?.data;
}

// The types of jsqr declare a default export, but its CommonJS module is the function.
const readQrCode = jsqr as unknown as typeof jsqr.default;

async function open(url: string) {
  const response = await fetch(url);
  const contentType = response.headers.get("content-type");
  return {
    status: response.status,
    contentType,
    text: decode(contentType, new Uint8Array(await response.arrayBuffer())),
  };
}

async function generate(
  parameters: Record<string, string>,
): Promise<{ otp_url: string; qrcode_url: string }> {
  const body = new URLSearchParams({ type: "time_based", action: "generate", ...parameters });
  const response = await fetch(`${server.url}/v1/otp`, { method: "POST", body });
  return (await response.json()) as { otp_url: string; qrcode_url: string };
}

describe("the QR code of a new secret", () => {
  test.each([
    ["nothing", {}],
    ["ASCII", { label: "ann@example.com", issuer: "Example" }],
    ["characters that URLs escape", { label: "a:b&c=d?e#f/g+h%i j", issuer: "R&D 100%" }],
    ["non-ASCII characters", { label: "jürgen@münchen.example", issuer: "株式会社" }],
    ["emoji", { label: "👩‍💻", issuer: "🔐" }],
    ["the maximum length", { label: "é".repeat(128), issuer: "é".repeat(64), digits: "8" }],
  ])("with %s reads as its otp_url, in both formats", async (_name, parameters) => {
    const { otp_url, qrcode_url } = await generate(parameters);
    expect(await open(qrcode_url)).toEqual({ status: 200, contentType: "image/svg+xml", text: otp_url });
    expect(await open(`${qrcode_url}&format=png`)).toEqual({
      status: 200,
      contentType: "image/png",
      text: otp_url,
    });
    expect(await open(`${qrcode_url}&format=svg`)).toMatchObject({
      contentType: "image/svg+xml",
      text: otp_url,
    });
  });
});

describe("the same image over every protocol", () => {
  const { renderBarcode } = BarcodeService.method;
  const request = { data: "https://example.com/ä", format: "BARCODE_FORMAT_PNG" };

  test("as a google.api.HttpBody", async () => {
    const response = await fetch(
      `${server.url}/v1/barcode?type=qr_code&format=png&data=https://example.com/%C3%A4`,
    );
    const data = Buffer.from(await response.arrayBuffer()).toString("base64");
    const outcome = { answer: { image: { contentType: "image/png", data, extensions: [] } } };
    const grpcJs = grpcJsClient(server.url);
    for (const [name, call] of [...connectClients(server.url), ["grpc-js", grpcJs] as const]) {
      expect([name, await call(renderBarcode, request)]).toEqual([name, outcome]);
    }
    grpcJs.close();
  });
});
