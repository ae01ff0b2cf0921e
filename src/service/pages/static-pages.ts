import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import type { HttpResponse, Page } from "connect-transcoding";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { systemErrorCode } from "connect-transcoding-operations/failures/system-error";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import { once } from "../../once.js";
import { REFERENCE_CONTENT } from "./open-pages.js";

/** A file of a page. */
interface PageFile {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Sources of images besides the service itself, for the Content Security Policy. */
  readonly imageSources: readonly string[];
  /** Default: browsers revalidate on each use. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the response with a file. Its policy allows only content of the service, and no embedding elsewhere. */
function fileResponse({
  contentType,
  body,
  imageSources,
  cacheControl = "no-cache",
  headers: more = {},
}: PageFile): HttpResponse {
  const headers = {
    "content-type": contentType,
    "cache-control": cacheControl,
    "content-security-policy": contentSecurityPolicy(imageSources),
    "referrer-policy": "no-referrer",
    ...more,
  };
  return { status: 200, headers, body, safe: true };
}

/** https://www.w3.org/TR/CSP3/ */
function contentSecurityPolicy(imageSources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...imageSources].join(" ")}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The items of the browser's storage that the API reference shares with the workbench. */
const SHARED_ITEMS = { themeItem: "utility-tools.theme", keyItem: "utility-tools.api-key" };

/** What the API reference depends on besides the document. */
interface ReferenceOptions {
  /** The methods that clients can call over gRPC. */
  readonly methods: readonly DescMethod[];
  /** Whether every request needs an API key. */
  readonly isLocked: boolean;
  /** The folder of the web page. Default: that of the build. */
  readonly pageFolder?: string | undefined;
}

const PAGE_FOLDER = join(PACKAGE_FOLDER, "dist", "workbench");

/** The paths of the API reference. */
const REFERENCE = ["/docs", "/docs/", "/docs/reference.css", "/docs/reference.js", "/docs/icon.svg"];

/** Returns the page with the OpenAPI document, which is created when it is first requested. */
export function documentPage(document: () => Promise<OpenApiDocument>): Page {
  return once(async () =>
    fileResponse({
      contentType: "application/json; charset=utf-8",
      body: JSON.stringify(await document()),
      imageSources: [],
    }),
  );
}

/**
 * Returns the API reference at `/docs` with all files that it needs. Links are relative, so that the pages work below a path prefix
 * of a proxy. They are created when one of them is first requested.
 */
export async function apiReferencePages(
  document: () => Promise<OpenApiDocument>,
  { methods, isLocked, pageFolder = PAGE_FOLDER }: ReferenceOptions,
): Promise<ReadonlyMap<string, Page>> {
  const icon = await readFile(join(PACKAGE_FOLDER, "src", "service", "pages", "web", "icon.svg"), "utf8");
  const reference = once(async () => {
    const { referencePages } = await import("connect-transcoding/reference");
    const links = await panelLinks(pageFolder);
    return referencePages(await document(), { ...SHARED_ITEMS, methods, icon, links });
  });
  const partAt = (path: string): Page => {
    return async (request) => {
      const page = (await reference()).get(path);
      if (page === undefined) {
        throw new Error(`the API reference has no ${path}`);
      }
      return typeof page === "function" ? page(request) : page;
    };
  };
  return new Map<string, Page>([
    ...[...REFERENCE, ...(isLocked ? [REFERENCE_CONTENT] : [])].map((path) => [path, partAt(path)] as const),
    // Browsers request it for documents that have no link to an icon.
    ["/favicon.ico", fileResponse({ contentType: "image/svg+xml", body: icon, imageSources: [] })],
  ]);
}

/** Returns the links to the panels of the web page, as its build writes them; none without a build. */
async function panelLinks(folder: string): Promise<{ href: string; label: string; short: string }[]> {
  try {
    return JSON.parse(await readFile(join(folder, "workbench", "panels.json"), "utf8"));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") {
      return [];
    }
    throw error;
  }
}

/** The page itself. */
const PAGE = "index.html";

/**
 * Loads the web page at `/` and its files, as `npm run build` writes them to `dist/workbench`. Links are relative, as in the API
 * reference. Without a build, `/` redirects to the API reference.
 *
 * @throws if a file has an extension without a known media type.
 */
export async function workbenchPages(
  folder: string = PAGE_FOLDER,
): Promise<ReadonlyMap<string, HttpResponse>> {
  const names = await fileNames(folder);
  if (names === undefined) {
    return new Map([["/", { status: 302, headers: { location: "docs" }, body: "" }]]);
  }
  return new Map(
    names.map((name) => {
      // Many small files: reading them one by one takes a fraction of the processor time of promises, and delays no request yet.
      const body = readFileSync(join(folder, name));
      return [name === PAGE ? "/" : `/${name}`, workbenchResponse(name, body)];
    }),
  );
}

/** Returns the names of all files below a folder, with slashes; undefined if the folder does not exist. */
async function fileNames(folder: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath.slice(folder.length)}/${name}`.slice(1));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A name that ends in a hash of the content, as Vite writes it: the content of such a file never changes. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** The service worker is for the page, which is in the folder above. https://www.w3.org/TR/service-workers/#service-worker-allowed */
const SCOPES: Readonly<Record<string, Record<string, string>>> = {
  "workbench/offline.js": { "service-worker-allowed": "../" },
};

function workbenchResponse(name: string, body: Uint8Array): HttpResponse {
  const contentType = TYPES[extname(name)];
  if (contentType === undefined) {
    throw new Error(`no media type for ${name}: add its extension to src/service/pages/static-pages.ts`);
  }
  // QR codes are `blob:` URLs.
  const page = { contentType, body, imageSources: ["blob:"], headers: SCOPES[name] ?? {} };
  return fileResponse(
    HASHED.test(name) ? { ...page, cacheControl: "public, max-age=31536000, immutable" } : page,
  );
}
