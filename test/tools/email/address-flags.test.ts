import { describe, expect, it } from "vitest";
import { addressFlags } from "../../../src/tools/email/address-flags.js";
import { NO_LISTS } from "../../../src/tools/email/email-lists.js";

const LISTS = {
  ...NO_LISTS,
  disposable: new Set(["mailinator.com", "gmial.com", "mozmail.com"]),
  moreDisposable: new Set(["temp.example"]),
  freeProviders: new Set(["gmail.com", "yandex.com", "fastmail.com"]),
  commonProviders: new Set(["gmail.com"]),
  relays: new Set(["mozmail.com"]),
  roleNames: new Set(["info", "noreply", "it", "mailer-daemon", "customerservice"]),
  topLevelDomains: new Set(["com", "example"]),
};
const NONE = { disposable: false, freeProvider: false, roleAccount: false, relay: false, didYouMean: "" };
const ROLE = { ...NONE, roleAccount: true };

describe("addressFlags", () => {
  it.each([
    ["jane@example.com", NONE],
    ["jane@gmail.com", { ...NONE, freeProvider: true }],
    ["jane@mail.gmail.com", NONE],
    ["jane@mailinator.com", { ...NONE, disposable: true }],
    ["jane@a.b.mailinator.com", { ...NONE, disposable: true }],
    ["jane@temp.example", { ...NONE, disposable: true }],
    ["jane@notmailinator.com", NONE],
    ["jane@mozmail.com", { ...NONE, relay: true }],
    ["x@jane.mozmail.com", { ...NONE, relay: true }],
    ["noreply@mailinator.com", { ...ROLE, disposable: true }],
    ["info@example.com", ROLE],
    ["information@example.com", NONE],
    ["customer-service@example.com", ROLE],
    ["customer.service@example.com", ROLE],
    ["info2@example.com", ROLE],
    // The initials of a person.
    ["i.t@example.com", NONE],
    ["it2@example.com", NONE],
    // RFC 2142, section 6, and what the programs for lists add.
    ["list-request@example.com", ROLE],
    ["owner-list@example.com", ROLE],
    ["list-bounces@example.com", ROLE],
    ["do-not-reply@example.com", ROLE],
    ["do_not_reply@example.com", ROLE],
    ["calendar-no-reply@example.com", ROLE],
    ["nora.reply@example.com", NONE],
  ])("finds %j in the lists", (email, flags) => {
    expect(addressFlags({ written: email, unfolded: email, email }, LISTS)).toEqual(flags);
  });

  it.each([
    ["mailer-daemon@yandex.com", "mailer.daemon@yandex.ru", { ...ROLE, freeProvider: true }],
    ["in.fo@gmail.com", "info@gmail.com", { ...ROLE, freeProvider: true }],
    ["no-reply+x@example.com", "no-reply@example.com", ROLE],
    ["shop@jane.fastmail.com", "jane@fastmail.com", { ...NONE, freeProvider: true }],
  ])("finds %j before and after its aliases are folded", (unfolded, email, flags) => {
    expect(addressFlags({ written: unfolded, unfolded, email }, LISTS)).toEqual(flags);
  });

  it("suggests the domain that was meant, with the name as it was written, and does not call it disposable", () => {
    const spellings = { written: "Jane.Doe+x@GMIAL.com", unfolded: "jane.doe+x@gmial.com" };
    expect(addressFlags({ ...spellings, email: "jane.doe@gmial.com" }, LISTS)).toEqual({
      ...NONE,
      didYouMean: "Jane.Doe+x@gmail.com",
    });
  });
});
