import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { StaticAnswers } from "../doors/static-door.js";
import type { OpenApiDocument } from "../openapi/open-api.js";
import type { HttpAnswer } from "../transcoding/answer.js";
import { pageAnswer } from "./page-answer.js";

/**
 * The document of the API at `/openapi.json`, and the page that shows it at `/docs`. All that the page needs comes from
 * here; links are relative, so that it works behind a proxy that serves it below some path.
 */
export async function referencePages(document: OpenApiDocument): Promise<StaticAnswers> {
  const { resolve } = createRequire(import.meta.url);
  const web = join(dirname(resolve("#package.json")), "src", "web");
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

function answer(contentType: string, body: string | Uint8Array): HttpAnswer {
  return pageAnswer({ contentType, body, imageSources: IMAGE_SOURCES });
}
