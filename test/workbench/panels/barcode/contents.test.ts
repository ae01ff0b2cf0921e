import { expect, test } from "vitest";
import {
  contactContent,
  emailContent,
  formOf,
  KINDS,
  linkContent,
  linkedWifi,
  placeContent,
  type Values,
  wifiContent,
} from "../../../../src/workbench/panels/barcode/contents.js";

test.each([
  ["https://example.com/?q=1", "https://example.com/?q=1"],
  [" example.com ", "https://example.com"],
  ["example.com:8080/a", "https://example.com:8080/a"],
  ["localhost:3000", "http://localhost:3000"],
  ["localhost:3000?a=1", "http://localhost:3000?a=1"],
  ["192.168.1.1/admin", "http://192.168.1.1/admin"],
  ["localhost.example.com", "https://localhost.example.com"],
  ["//example.com/a", "https://example.com/a"],
  ["HTTP://EXAMPLE.COM", "HTTP://EXAMPLE.COM"],
  ["tel:+431234567", "tel:+431234567"],
  ["mailto:jane@example.com", "mailto:jane@example.com"],
])("linkContent of %j", (url, text) => {
  expect(linkContent({ url })).toEqual({ text });
});

// The first one is the example of ZXing: https://github.com/zxing/zxing/wiki/Barcode-Contents
test.each<[Values, string]>([
  [{ ssid: "mynetwork", password: "mypass12" }, "WIFI:T:WPA;S:mynetwork;P:mypass12;;"],
  [{ ssid: '"foo;bar\\baz"', security: "nopass" }, String.raw`WIFI:T:nopass;S:\"foo\;bar\\baz\";;`],
  [{ ssid: "a", security: "WEP", password: "abcde" }, "WIFI:T:WEP;S:a;P:abcde;;"],
  [{ ssid: "a", password: "12345678", hidden: "true" }, "WIFI:T:WPA;S:a;H:true;P:12345678;;"],
  [{ ssid: "a,b:c", password: 'p;a,s:s\\w"d' }, String.raw`WIFI:T:WPA;S:a\,b\:c;P:p\;a\,s\:s\\w\"d;;`],
  // Android writes a name of hexadecimal digits without quotes.
  [{ ssid: "CAFE42", password: "DEADBEEF" }, "WIFI:T:WPA;S:CAFE42;P:DEADBEEF;;"],
  [{ ssid: " Café ", password: "größe 12 " }, "WIFI:T:WPA;S: Café ;P:größe 12 ;;"],
  [{ ssid: "a", security: "nopass", password: "x" }, "WIFI:T:nopass;S:a;;"],
])("wifiContent of %j", (values, text) => {
  expect(wifiContent(values)).toEqual({ text });
});

const card = (...lines: string[]) => ["BEGIN:VCARD", "VERSION:3.0", ...lines, "END:VCARD", ""].join("\r\n");

// RFC 2426: N and FN are required; section 4 has the escapes.
test.each<[string, Values, string]>([
  ["a name", { first: "Zoë", last: "Müller" }, card("N:Müller;Zoë;;;", "FN:Zoë Müller")],
  ["a first name", { first: " Zoë " }, card("N:;Zoë;;;", "FN:Zoë")],
  ["an organization", { organization: "ACME" }, card("N:;;;;", "FN:ACME", "ORG:ACME")],
  [
    "all fields",
    {
      first: "Jane",
      last: "Doe",
      organization: "Doe, Inc.",
      phone: "+43 1 234567",
      email: "jane@example.com",
      website: "https://example.com/?a=1,2;3",
    },
    card(
      "N:Doe;Jane;;;",
      "FN:Jane Doe",
      "ORG:Doe\\, Inc.",
      "TEL;TYPE=CELL:+43 1 234567",
      "EMAIL:jane@example.com",
      "URL:https://example.com/?a=1,2;3",
    ),
  ],
  [
    "characters that are escaped",
    { first: "a;b\\c", last: "d,e\nf" },
    card("N:d\\,e\\nf;a\\;b\\\\c;;;", "FN:a\\;b\\\\c d\\,e\\nf"),
  ],
])("contactContent of %s", (_, values, text) => {
  expect(contactContent(values)).toEqual({ text });
});

// The examples of RFC 6068, section 6.
test.each<[Values, string]>([
  [{ to: "chris@example.com" }, "mailto:chris@example.com"],
  [
    { to: "infobot@example.com", body: "send current-issue\nsend index" },
    "mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index",
  ],
  [{ to: "gorby%kremvax@example.com" }, "mailto:gorby%25kremvax@example.com"],
  [{ to: "unlikely?address@example.com" }, "mailto:unlikely%3Faddress@example.com"],
  [{ to: "Mike&family@example.org" }, "mailto:Mike%26family@example.org"],
  [{ to: '"not@me"@example.org' }, "mailto:%22not%40me%22@example.org"],
  [{ to: "user@example.org", subject: "café" }, "mailto:user@example.org?subject=caf%C3%A9"],
  [{ to: "user@納豆.example.org" }, "mailto:user@%E7%B4%8D%E8%B1%86.example.org"],
  [{ to: "a@example.com, b@example.com" }, "mailto:a@example.com,b@example.com"],
  [{ to: "a@x; b@y;" }, "mailto:a@x,b@y"],
  [{ to: 'Jane Doe <a@x>, "Doe, J." <b@y>\n"c;d"@z' }, "mailto:a@x,b@y,%22c%3Bd%22@z"],
  [
    { to: "a+b@example.com", subject: "1 & 2", body: "x" },
    "mailto:a%2Bb@example.com?subject=1%20%26%202&body=x",
  ],
  [{ to: "a@example.com", body: "\ud83d" }, "mailto:a@example.com?body=%EF%BF%BD"],
])("emailContent of %j", (values, text) => {
  expect(emailContent(values)).toEqual({ text });
});

// The first ones are examples of RFC 5870.
test.each([
  ["13.4125", "103.8667", "geo:13.4125,103.8667"],
  ["48.2010", "16.3695", "geo:48.2010,16.3695"],
  ["90", "-22.43", "geo:90,-22.43"],
  ["-90", "180", "geo:-90,180"],
  [" +48.2° ", "0", "geo:48.2,0"],
])("placeContent of %j and %j", (latitude, longitude, text) => {
  expect(placeContent({ latitude, longitude })).toEqual({ text });
});

test.each([
  ["link", {}, "Enter a link."],
  ["link", { url: "two words" }, "This is not a link. For other texts, choose “Text”."],
  ["link", { url: "//" }, "This is not a link. For other texts, choose “Text”."],
  ["text", {}, "Enter a text."],
  ["wifi", {}, "Enter the name of the network."],
  ["wifi", { ssid: "a" }, "Enter the password of the network, or choose “None”."],
  ["wifi", { ssid: "a", password: "1234567" }, "The password of a WPA network has at least 8 characters."],
  ["contact", { phone: "1" }, "Enter a name or an organization."],
  ["email", { subject: "x" }, "Enter an e-mail address."],
  ["email", { to: "jane" }, "“jane” is not an e-mail address, such as jane@example.com."],
  ["email", { to: "a@x b@y" }, "“a@x b@y” is not an e-mail address, such as jane@example.com."],
  ["email", { to: "a@x, @y" }, "“@y” is not an e-mail address, such as jane@example.com."],
  ["place", { latitude: "1" }, "Enter latitude and longitude in degrees."],
  [
    "place",
    { latitude: "91", longitude: "1" },
    "The latitude is a number from -90 to 90, for example 48.2010.",
  ],
  [
    "place",
    { latitude: "1e1", longitude: "1" },
    "The latitude is a number from -90 to 90, for example 48.2010.",
  ],
  [
    "place",
    { latitude: "1", longitude: "180.1" },
    "The longitude is a number from -180 to 180, for example 16.3695.",
  ],
] satisfies [string, Values, string][])("the form %s with %j says what it needs", (id, values, hint) => {
  expect(KINDS.find((kind) => kind.id === id)?.contentOf(values)).toEqual({ hint });
});

test("the link of a network has no password, and opens its form", () => {
  const values = { ssid: 'Café; "guests"', security: "WPA", password: "12345678", hidden: "true" };
  const text = linkedWifi(values);
  expect(text).toBe('WIFI:T:WPA;S:Café\\; \\"guests\\";H:true;;');
  const form = formOf(text);
  expect([form.kind.id, form.values]).toEqual(["wifi", { ...values, password: "" }]);
  expect(linkedWifi({ password: "12345678" })).toBe("");
  expect(KINDS.filter(({ linkedText }) => linkedText).map(({ id }) => id)).toEqual(["wifi"]);
});

test.each([
  ["https://example.com/", "link"],
  ["HTTP://EXAMPLE.COM", "link"],
  ["https://example.com/ and more", "text"],
  ["mailto:a@example.com", "text"],
  ["geo:48.2010,-16.3695", "place"],
  ["geo:98.2,16", "text"],
  ["geo:48.2,16.4?z=3", "text"],
  ["", "text"],
  ["WIFI:T:nopass;S:a\\\\\\;b;H:true;;", "wifi"],
])("formOf(%j) keeps the text in the form %s", (text, id) => {
  const { kind, values } = formOf(text);
  expect(kind.id).toBe(id);
  expect(kind.contentOf(values)).toEqual(text === "" ? { hint: "Enter a text." } : { text });
});
