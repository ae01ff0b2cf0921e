import { describe, expect, it } from "vitest";
import { qrcodeUrl } from "../../../src/tools/otp/qrcode-url.js";

describe("qrcodeUrl", () => {
  it("encodes the whole text as one parameter", () => {
    expect(qrcodeUrl("https://tools.example", "otpauth://totp/A%20B:c?secret=X&issuer=A%20B")).toBe(
      "https://tools.example/v1/barcode?type=qr_code" +
        "&data=otpauth%3A%2F%2Ftotp%2FA%2520B%3Ac%3Fsecret%3DX%26issuer%3DA%2520B",
    );
  });
});
