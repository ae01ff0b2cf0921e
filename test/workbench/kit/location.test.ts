import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageModule } from "../page-module.js";

interface Place {
  readonly panel: string;
  readonly value: string;
  readonly parameters: URLSearchParams;
}

const { parsePlace, panelHash } = await pageModule<{
  readonly parsePlace: (hash: string) => Place | undefined;
  readonly panelHash: (panel: string, state: { value: string; parameters: Record<string, string> }) => string;
}>("kit/location.ts");

const formatPlace = ({ panel, value, parameters }: Place) =>
  panelHash(panel, { value, parameters: Object.fromEntries(parameters) });

const place = (panel: string, value = "", parameters: Record<string, string> = {}): Place => ({
  panel,
  value,
  parameters: new URLSearchParams(parameters),
});

/** A place in a form that can be compared. */
const shown = (one: Place | undefined) =>
  one && { panel: one.panel, value: one.value, parameters: [...one.parameters] };

describe("panelHash and parsePlace", () => {
  test.each([
    [place("otp"), "#/otp"],
    [place("geoip", "8.8.8.8"), "#/geoip/8.8.8.8"],
    [place("geoip", "2001:db8::1"), "#/geoip/2001:db8::1"],
    [place("countries", "DE"), "#/countries/DE"],
    [place("countries", "Côte d’Ivoire"), "#/countries/C%C3%B4te%20d%E2%80%99Ivoire"],
    [place("email", "", { address: "a+b@c.de" }), "#/email?address=a%2Bb%40c.de"],
    [place("barcode", "", { data: "x y&z=1#2", size: "8" }), "#/barcode?data=x+y%26z%3D1%232&size=8"],
    [place("a/b?c#d", "e/f?g#h%"), "#/a%2Fb%3Fc%23d/e%2Ff%3Fg%23h%25"],
  ])("%#: %j", (one, hash) => {
    expect(formatPlace(one)).toBe(hash);
    expect(shown(parsePlace(hash))).toEqual(shown(one));
  });

  test("any place survives, and its hash has only characters that a URL leaves alone", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(
        text,
        text,
        fc.dictionary(text, fc.string({ unit: "grapheme", minLength: 1 })),
        (panel, value, parameters) => {
          const one = place(panel, panel === "otp" ? "" : value, parameters);
          const hash = formatPlace(one);
          expect(shown(parsePlace(hash))).toEqual(shown(one));
          expect(new URL(hash, "http://x").hash).toBe(hash);
        },
      ),
    );
  });

  test("half a surrogate pair becomes U+FFFD", () => {
    expect(formatPlace(place("geoip", "a\ud800b"))).toBe("#/geoip/a%EF%BF%BDb");
  });
});

test.each([
  ["", undefined],
  ["#", undefined],
  ["#main", undefined],
  ["#/", place("")],
  ["#/geoip/", place("geoip")],
  ["#/geoip/1/2", place("geoip", "1/2")],
  ["#/geoip?", place("geoip")],
  ["#/geoip/?view=full", place("geoip", "", { view: "full" })],
  ["#/geoip/%", place("geoip", "%")],
  ["#/geoip/%FF", place("geoip", "%FF")],
  ["#/email?address=a%", place("email", "", { address: "a%" })],
])("parsePlace(%j)", (hash, expected) => {
  expect(shown(parsePlace(hash))).toEqual(shown(expected));
});

describe("secrets are neither written to a URL nor read from one", () => {
  const SECRET = "JBSWY3DPEHPK3PXP";
  const URL_WITH_SECRET = `otpauth://totp/jane?secret=${SECRET}`;
  test.each([
    ["the value of the one-time passwords", place("otp", SECRET)],
    ["a parameter by its name", place("otp", "", { secret: SECRET })],
    ["a password by its name", place("barcode", "", { wifiPassword: SECRET })],
    ["an API key by its name", place("overview", "", { apiKey: SECRET })],
    ["the URL of an authenticator app", place("barcode", "", { data: URL_WITH_SECRET })],
    ["such a URL with other letters", place("barcode", URL_WITH_SECRET.replace("otpauth", " OtpAuth"))],
    ["an export of an authenticator app", place("barcode", "", { data: `otpauth-migration://x?${SECRET}` })],
    ["a link with a password", place("barcode", "", { data: `https://jane:${SECRET}@example.com/` })],
    ["a Wi-Fi network", place("barcode", "", { data: `WIFI:T:WPA;S:home;P:${SECRET};;` })],
    ["a Wi-Fi network with the password first", place("barcode", "", { data: `wifi:p:${SECRET};S:home;;` })],
  ])("%s", (_, { panel, value, parameters }) => {
    const kept = new URLSearchParams({ ...Object.fromEntries(parameters), size: "8" });
    const hash = formatPlace({ panel, value, parameters: kept });
    expect(hash).not.toContain(SECRET);
    expect(hash).toBe(`#/${panel}?size=8`);
    const unsafe = `#/${panel}/${encodeURIComponent(value)}?${kept}`;
    expect(unsafe).toContain(SECRET);
    expect(shown(parsePlace(unsafe))).toEqual({ panel, value: "", parameters: [["size", "8"]] });
  });

  test.each([
    place("barcode", "", { data: "https://example.com/?p=1" }),
    place("barcode", "", { data: "WIFI:T:nopass;S:guests;;" }),
    place("barcode", "", { data: "https://jane@example.com:8080/a:b@c" }),
    place("otp", "", { issuer: "Example", digits: "8" }),
  ])("%#: other data is kept", (one) => {
    expect(shown(parsePlace(formatPlace(one)))).toEqual(shown(one));
  });
});
