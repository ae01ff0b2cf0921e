import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import type { HttpResponse, Page } from "connect-transcoding";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { PACKAGE_FOLDER } from "../../installed-package.js";

const { resolve } = createRequire(import.meta.url);

/** A file of a page. */
interface PageFile {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Sources of images besides the service itself, for the Content Security Policy. */
  readonly imageSources: readonly string[];
  /** Default: browsers revalidate on each use. */
  readonly cacheControl?: string;
}

/** Returns the response with a file. Its policy allows only content of the service, and no embedding elsewhere. */
function fileResponse({
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
 * Loads the OpenAPI document at `/openapi.json` and the API reference at `/docs` with all files that it needs. Links are relative,
 * so that the pages work below a path prefix of a proxy.
 */
export async function referencePages(document: OpenApiDocument): Promise<ReadonlyMap<string, Page>> {
  const web = join(PACKAGE_FOLDER, "src", "service", "pages", "web");
  const swaggerUi = dirname(resolve("swagger-ui-dist/package.json"));
  const file = async (contentType: string, path: string) =>
    referenceResponse(contentType, await readFile(path));
  return new Map<string, Page>([
    ["/openapi.json", referenceResponse("application/json; charset=utf-8", JSON.stringify(document))],
    ["/docs", await file("text/html; charset=utf-8", join(web, "docs.html"))],
    ["/docs/", { status: 308, headers: { location: "../docs" }, body: "" }],
    ["/docs/docs.css", await file("text/css; charset=utf-8", join(web, "docs.css"))],
    ["/docs/docs.js", await file("text/javascript; charset=utf-8", join(web, "docs.js"))],
    ["/docs/theme.js", await file("text/javascript; charset=utf-8", join(web, "theme.js"))],
    ["/docs/icon.svg", await file("image/svg+xml", join(web, "icon.svg"))],
    ["/docs/swagger-ui.css", await file("text/css; charset=utf-8", join(swaggerUi, "swagger-ui.css"))],
    [
      "/docs/swagger-ui-bundle.js",
      await file("text/javascript; charset=utf-8", join(swaggerUi, "swagger-ui-bundle.js")),
    ],
    // The script refers to this file for its licenses.
    [
      "/docs/swagger-ui-bundle.js.LICENSE.txt",
      await file("text/plain; charset=utf-8", join(swaggerUi, "swagger-ui-bundle.js.LICENSE.txt")),
    ],
  ]);
}

function referenceResponse(contentType: string, body: string | Uint8Array): HttpResponse {
  // Swagger UI has `data:` URLs for its icons, and shows images in responses as `blob:` URLs.
  return fileResponse({ contentType, body, imageSources: ["data:", "blob:"] });
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
  folder: string = join(PACKAGE_FOLDER, "dist", "workbench"),
): Promise<ReadonlyMap<string, Page>> {
  const names = await fileNames(folder);
  if (names === undefined) {
    return new Map([["/", { status: 302, headers: { location: "docs" }, body: "" }]]);
  }
  const pages = names.map(async (name): Promise<[string, Page]> => {
    const body = await readFile(join(folder, name));
    return [name === PAGE ? "/" : `/${name}`, workbenchResponse(name, body)];
  });
  return new Map(await Promise.all(pages));
}

/** Returns the names of all files below a folder, with slashes; undefined if the folder does not exist. */
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

function workbenchResponse(name: string, body: Uint8Array): HttpResponse {
  const contentType = TYPES[extname(name)];
  if (contentType === undefined) {
    throw new Error(`no media type for ${name}: add its extension to src/service/pages/static-pages.ts`);
  }
  // QR codes are `blob:` URLs.
  const page = { contentType, body, imageSources: ["blob:"] };
  return fileResponse(
    HASHED.test(name) ? { ...page, cacheControl: "public, max-age=31536000, immutable" } : page,
  );
}
