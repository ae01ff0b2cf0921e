import { expect, test } from "vitest";
import {
  codeAt,
  codesAnswer,
  codesOverview,
  codesRequest,
  expandExports,
  isCurrent,
} from "../../../../../src/workbench/panels/otp/list/code-answers.js";

const RESULT = { otp_codes: { current: "111111", "+30s": "222222" }, period: 30 };
const LINK = "otpauth://totp/Shop:jane?secret=JBSWY3DPEHPK3PXP";
const AT = Date.parse("2026-01-01T00:00:10.400Z");
const DATE = "Thu, 01 Jan 2026 00:00:10 GMT";
const RECEIVED = { inputs: [LINK], baseUrl: "", date: DATE, sentAt: AT, receivedAt: AT + 50 };
const ANSWER = codesAnswer(RESULT, RECEIVED);

test("the request has a setup link or a secret", () => {
  expect(codesRequest([LINK])).toEqual({ key_uri: LINK });
  expect(codesRequest(["JBSW Y3DP"])).toEqual({ secret: "JBSW Y3DP" });
});

test("an answer has the names and the codes, without the secret", () => {
  expect(ANSWER).toEqual({
    kind: "code",
    values: ["Shop", "jane", "111111", "2026-01-01T00:00:30.000Z", "222222", 30],
    error: "",
  });
  expect(codesAnswer(RESULT, { ...RECEIVED, inputs: ["JBSWY3DPEHPK3PXP"] }).values.slice(0, 2)).toEqual([
    "",
    "",
  ]);
});

test.each([
  ["right", RECEIVED, "00:00:30.000"],
  ["unknown to be wrong", { ...RECEIVED, date: null }, "00:00:30.000"],
  ["an hour fast", { ...RECEIVED, sentAt: AT + 3_600_000, receivedAt: AT + 3_600_050 }, "01:00:29.900"],
])("the end of the time step is on the clock of the browser, which is %s", (_, received, time) => {
  const { values } = codesAnswer(RESULT, received);
  expect(values[3]).toBe(`2026-01-01T${time}Z`);
});

const END = Date.parse("2026-01-01T00:00:30Z");

test.each([
  [AT, { code: "111111", secondsLeft: 20 }],
  [END - 1, { code: "111111", secondsLeft: 1 }],
  [END, { code: "222222", secondsLeft: 30 }],
  [END + 29_999, { code: "222222", secondsLeft: 1 }],
  [END + 30_000, undefined],
])("at %i the code is %o", (now, code) => {
  expect(codeAt(ANSWER, now)).toEqual(code);
});

test("codes are fetched again two seconds after their time step", () => {
  const invalid = { kind: "invalid", values: [], error: "wrong" };
  expect(codesOverview([ANSWER, invalid, undefined])).toEqual({ dueAt: END + 2_000, count: 1 });
  expect(codesOverview([invalid])).toEqual({ dueAt: undefined, count: 0 });
  expect([END + 1_999, END + 2_000].map((now) => isCurrent(ANSWER, now))).toEqual([true, false]);
  expect(isCurrent(invalid, END + 9_000)).toBe(true);
});

test("a link of an export becomes the links of its accounts", () => {
  const link =
    "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZTAC";
  expect(expandExports(`A\n${link}\r\nB`)).toMatch(
    /^A\notpauth:\/\/totp\/Example:alice%40google\.com\?secret=JBSWY3DPEHPK3PXP&\S*\r?\nB$/,
  );
  const damaged = "otpauth-migration://offline?data=!";
  expect(expandExports(damaged)).toBe(damaged);
});
