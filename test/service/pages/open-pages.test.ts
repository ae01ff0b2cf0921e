import { expect, test } from "vitest";
import { accessRequest } from "../../../packages/operations/test/access/access-request.js";
import { OPEN_PAGES } from "../../../src/service/pages/open-pages.js";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const page = (path: string, accept?: string, protocol: "page" | "rest" = "page") =>
  accessRequest({ path, protocol, headers: accept === undefined ? {} : { accept } });

test.each([
  ["/", BROWSER, true],
  ["/", "Text/HTML", true],
  ["/docs", BROWSER, true],
  ["/docs/", "*/*", false],
  ["/docs/docs.js", "*/*", false],
  ["/workbench/index-01234567.js", undefined, false],
])("%s with Accept %s is open", (path, accept, depends) => {
  const request = page(path, accept);
  expect([OPEN_PAGES.has(request), OPEN_PAGES.dependsOnAccept(request)]).toEqual([true, depends]);
});

test.each([
  ["/", undefined, true],
  ["/", "*/*", true],
  ["/", "application/json", true],
  ["/docs", "*/*", true],
  ["/openapi.json", BROWSER, false],
  ["/metrics", BROWSER, false],
  ["/workbench", BROWSER, false],
  ["/workbenches/x.js", BROWSER, false],
])("%s with Accept %s is not", (path, accept, depends) => {
  const request = page(path, accept);
  expect([OPEN_PAGES.has(request), OPEN_PAGES.dependsOnAccept(request)]).toEqual([false, depends]);
});

test.each(["/", "/docs", "/workbench/absent.js", "/v1/geoIp"])("%s is not if there is no page", (path) => {
  expect(OPEN_PAGES.has(page(path, BROWSER, "rest"))).toBe(false);
});
