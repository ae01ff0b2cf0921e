import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import type { HttpResponse, Page } from "connect-transcoding";
import type { OpenApiDocument } from "connect-transcoding/openapi";

/** What a page of ours is, or a file that one loads. */
interface PageFile {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Where its images may come from beside files of our own: sources of Content Security Policy. */
  readonly imageSources: readonly string[];
  /** Default: browsers ask each time whether it is still the same. */
  readonly cacheControl?: string;
}

/** The answer that gives a page. Nothing is loaded from elsewhere, sent elsewhere or shown elsewhere. */
export function pageAnswer({
  contentType,
  body,
  imageSources,
  cacheControl = "no-cache",
}: PageFile): HttpResponse {
  const headers = {
    "content-type": contentType,
    "cache-control": cacheControl,
    "content-security-policy": contentSecurityPolicy(imageSources),
    "referrer-policy": "no-referrer",
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

/**
 * The document of the API at `/openapi.json`, and the page that shows it at `/docs`. All that the page needs comes from
 * here; links are relative, so that it works behind a proxy that serves it below some path.
 */
export async function referencePages(document: OpenApiDocument): Promise<ReadonlyMap<string, Page>> {
  const { resolve } = createRequire(import.meta.url);
  const web = join(dirname(resolve("#package.json")), "src", "service", "pages", "web");
  const swaggerUi = dirname(resolve("swagger-ui-dist/package.json"));
  const [html, css, script, swaggerUiCss, swaggerUiScript, swaggerUiLicence, icon] = await Promise.all([
    readFile(join(web, "docs.html")),
    readFile(join(web, "docs.css")),
    readFile(join(web, "docs.js")),
    readFile(join(swaggerUi, "swagger-ui.css")),
    readFile(join(swaggerUi, "swagger-ui-bundle.js")),
    readFile(join(swaggerUi, "swagger-ui-bundle.js.LICENSE.txt")),
    readFile(join(swaggerUi, "favicon-32x32.png")),
  ]);
  return new Map([
    ["/openapi.json", answer("application/json; charset=utf-8", JSON.stringify(document))],
    ["/docs", answer("text/html; charset=utf-8", html)],
    ["/docs/", { status: 308, headers: { location: "../docs" }, body: "" }],
    ["/docs/docs.css", answer("text/css; charset=utf-8", css)],
    ["/docs/docs.js", answer("text/javascript; charset=utf-8", script)],
    ["/docs/swagger-ui.css", answer("text/css; charset=utf-8", swaggerUiCss)],
    ["/docs/swagger-ui-bundle.js", answer("text/javascript; charset=utf-8", swaggerUiScript)],
    // The script names this file as the one with its licences.
    ["/docs/swagger-ui-bundle.js.LICENSE.txt", answer("text/plain; charset=utf-8", swaggerUiLicence)],
    ["/docs/favicon-32x32.png", answer("image/png", icon)],
  ]);
}

/** Swagger UI has its icons as `data:` URLs, and shows images in answers as `blob:` URLs. */
const IMAGE_SOURCES = ["data:", "blob:"];

function answer(contentType: string, body: string | Uint8Array): HttpResponse {
  return pageAnswer({ contentType, body, imageSources: IMAGE_SOURCES });
}

/**
 * The workbench at `/` and the files that it loads, as `npm run build` leaves them in `dist/workbench`: one page, and beside it
 * files whose names have a hash of what is in them, so that browsers need never ask for one again. Links are relative, as in
 * the API reference. Where nothing has been built, `/` leads to the API reference.
 */
export async function workbenchPages(folder: string = builtWorkbench()): Promise<ReadonlyMap<string, Page>> {
  const names = await fileNames(folder);
  if (names === undefined) {
    return new Map([["/", { status: 302, headers: { location: "docs" }, body: "" }]]);
  }
  const pages = names.map(async (name): Promise<[string, Page]> => {
    const body = await readFile(join(folder, name));
    return [name === PAGE ? "/" : `/${name}`, fileAnswer(name, body)];
  });
  return new Map(await Promise.all(pages));
}

/** The name of the page itself. */
const PAGE = "index.html";

function builtWorkbench(): string {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve("#package.json")), "dist", "workbench");
}

/** The names of the files in a folder and in the folders below it, with slashes; undefined where there is no such folder. */
async function fileNames(folder: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath.slice(folder.length)}/${name}`.slice(1));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

/** Images of the bar code are `blob:` URLs, made of answers. */
const WORKBENCH_IMAGE_SOURCES = ["blob:"];

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A name with a hash of what the file holds, as Vite gives it: never is there anything else by this name. */
const HASHED = /-[\w-]{8}\.\w+$/;

function fileAnswer(name: string, body: Uint8Array): Page {
  const contentType = TYPES[extname(name)];
  if (contentType === undefined) {
    throw new Error(`src/server/workbench-pages.ts has no media type for ${name}`);
  }
  const page = { contentType, body, imageSources: WORKBENCH_IMAGE_SOURCES };
  return pageAnswer(
    HASHED.test(name) ? { ...page, cacheControl: "public, max-age=31536000, immutable" } : page,
  );
}
