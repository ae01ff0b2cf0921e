import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import type { PageAnswer, StaticAnswers } from "../doors/static-door.js";
import { pageAnswer } from "./page-answer.js";

/**
 * The workbench at `/` and the files that it loads, as `npm run build` leaves them in `dist/workbench`: one page, and beside it
 * files whose names have a hash of what is in them, so that browsers need never ask for one again. Links are relative, as in
 * the API reference. Where nothing has been built, `/` leads to the API reference.
 */
export async function workbenchPages(folder: string = builtWorkbench()): Promise<StaticAnswers> {
  const names = await fileNames(folder);
  if (names === undefined) {
    return new Map([["/", { status: 302, headers: { location: "docs" }, body: "" }]]);
  }
  const pages = names.map(async (name): Promise<[string, PageAnswer]> => {
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
const IMAGE_SOURCES = ["blob:"];

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

function fileAnswer(name: string, body: Uint8Array): PageAnswer {
  const contentType = TYPES[extname(name)];
  if (contentType === undefined) {
    throw new Error(`src/server/workbench-pages.ts has no media type for ${name}`);
  }
  const page = { contentType, body, imageSources: IMAGE_SOURCES };
  return pageAnswer(
    HASHED.test(name) ? { ...page, cacheControl: "public, max-age=31536000, immutable" } : page,
  );
}
