import { describe, expect, it } from "vitest";
import { addressFlags } from "../../../src/tools/email/address-flags.js";

const LISTS = {
  disposable: new Set(["mailinator.com", "gmial.com"]),
  freeProviders: new Set(["gmail.com"]),
  roleNames: new Set(["info", "no-reply"]),
  misspelled: new Map([["gmial.com", "gmail.com"]]),
};
const NONE = { disposable: false, freeProvider: false, roleAccount: false, didYouMean: "" };

describe("addressFlags", () => {
  it.each([
    ["jane@example.com", NONE],
    ["jane@gmail.com", { ...NONE, freeProvider: true }],
    ["jane@mail.gmail.com", NONE],
    ["jane@mailinator.com", { ...NONE, disposable: true }],
    ["jane@a.b.mailinator.com", { ...NONE, disposable: true }],
    ["jane@notmailinator.com", NONE],
    ["info@example.com", { ...NONE, roleAccount: true }],
    ["information@example.com", NONE],
    ["no-reply@mailinator.com", { ...NONE, disposable: true, roleAccount: true }],
  ])("finds %j in the lists", (email, flags) => {
    expect(addressFlags(email, email, LISTS)).toEqual(flags);
  });

  it("suggests the domain that was meant, with the name as it was written, and does not call it disposable", () => {
    expect(addressFlags("jane.doe@gmial.com", " Jane.Doe+x@GMIAL.com", LISTS)).toEqual({
      ...NONE,
      didYouMean: "Jane.Doe+x@gmail.com",
    });
  });
});
