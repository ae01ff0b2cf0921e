import type { DescMethod } from "@bufbuild/protobuf";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import type { OpenApiDocument } from "../openapi/open-api.js";
import { ICON, SCRIPT, STYLE } from "./assets.js";
import { listOf, objectOf, textIn } from "./document/json.js";
import { methodsOf, type ReferenceModel, type ReferenceOperation, readReference } from "./document/model.js";
import { findRpcIn } from "./document/rpc-examples.js";
import { commonErrors, errorExample, errorSection } from "./errors.js";
import { codeBlock, type ServerUrl } from "./html/code-block.js";
import { type Html, html } from "./html/html.js";
import { inlineMarkdown, markdown } from "./html/markdown.js";
import { firstRequest, operationSection, type SectionContext } from "./operation-section.js";
import { indentedJson, typeSections } from "./schema-section.js";
import type { KeyHeader } from "./snippets.js";

/** Some bundlers move the literal of a tagged template with this text to a helper that is a package of its own. */
const SCRIPT_END: Html = { html: "</script>" };

/** How a reference page is served. URLs are relative to the page. */
export interface ReferenceOptions {
  /** The methods that clients can call over gRPC, for examples with buf. Default: none. */
  readonly methods?: readonly DescMethod[];
  /** The folder of `reference.js`, `reference.css`, `icon.svg` and `content`, with a final slash. Default: `docs/`. */
  readonly files?: string;
  /** Default: `openapi.json`. */
  readonly documentUrl?: string;
  /** The folder that requests are sent to, if the document has no absolute URL of a server. Default: that of the page. */
  readonly baseUrl?: string;
  /** Links to other pages of the server, in the header. The title leads to the page of the first one. `short` is the label on a phone. */
  readonly links?: readonly { readonly href: string; readonly label: string; readonly short?: string }[];
  /** An image for the tab and the title, as SVG. */
  readonly icon?: string;
  /** The item of the local storage with the theme: `light` or `dark`. Default: `reference.theme`. */
  readonly themeItem?: string;
  /** The item of the session storage with the API key. Default: `reference.api-key`. */
  readonly keyItem?: string;
}

/** The names of {@link ReferenceOptions}. */
export const REFERENCE_OPTIONS: OptionNames<ReferenceOptions> = {
  methods: true,
  files: true,
  documentUrl: true,
  baseUrl: true,
  links: true,
  icon: true,
  themeItem: true,
  keyItem: true,
};

/** A page and its files. */
export interface ReferencePage {
  /** The page with the whole reference. */
  readonly html: string;
  /** The page for a document that needs an API key: asks for one, and fetches `content` with it. */
  readonly lockedHtml: string;
  /** What `lockedHtml` fetches. */
  readonly content: string;
  readonly script: string;
  readonly style: string;
  /** SVG. */
  readonly icon: string;
  /** Whether every request needs an API key. */
  readonly isLocked: boolean;
}

/**
 * Creates a page that describes an API: a section for each method with parameters, examples in four languages, errors, and a form
 * that sends requests. It needs a Content-Security-Policy with `'self'` for scripts, styles, images and connections, and `blob:` for
 * images.
 *
 * @param document an OpenAPI 3.1 document; what is invalid in it is left out
 */
export function referencePage(
  document: OpenApiDocument | Readonly<Record<string, unknown>>,
  given: ReferenceOptions = {},
): ReferencePage {
  const options = knownOptions("referencePage", given, REFERENCE_OPTIONS);
  const reference = readReference(document);
  const key = keyHeader(reference);
  const security = listOf(objectOf(document).security);
  const isLocked =
    key !== undefined &&
    security.length > 0 &&
    security.every((each) => Object.keys(objectOf(each)).length > 0);
  const content = contentOf(reference, key, options);
  return {
    html: pageOf(reference, options, key, content),
    lockedHtml: pageOf(reference, options, key, undefined),
    content: content.html,
    script: SCRIPT,
    style: STYLE,
    icon: options.icon ?? ICON,
    isLocked,
  };
}

const DEFAULT_FILES = "docs/";
export const DEFAULT_DOCUMENT = "openapi.json";

/** The first header of the security schemes that requests can have. */
function keyHeader({ document }: ReferenceModel): KeyHeader | undefined {
  const schemes = objectOf(objectOf(objectOf(document).components).securitySchemes);
  for (const value of Object.values(schemes)) {
    const scheme = objectOf(value);
    if (scheme.type === "http" && textIn(scheme.scheme).toLowerCase() === "bearer") {
      return { name: "Authorization", prefix: "Bearer " };
    }
    if (scheme.type === "apiKey" && scheme.in === "header") {
      return { name: textIn(scheme.name), prefix: "" };
    }
  }
  return undefined;
}

function titleOf({ document }: ReferenceModel): string {
  return textIn(objectOf(objectOf(document).info).title) || "API";
}

function serverOf({ document }: ReferenceModel): ServerUrl {
  const url = textIn(objectOf(listOf(objectOf(document).servers)[0]).url);
  return { absolute: /^https?:\/\//.test(url) && !url.includes("{") ? url.replace(/\/$/, "") : undefined };
}

const ICONS = html`<svg hidden><symbol id="i-copy" viewBox="0 0 24 24"><rect x="8.5" y="8.5" width="12" height="12" rx="2.5"/><path d="M15.5 5.5a2 2 0 0 0-2-2h-8a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2"/></symbol><symbol id="i-theme" viewBox="0 0 24 24"><circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/></symbol></svg>`;

function pageOf(
  reference: ReferenceModel,
  { files = DEFAULT_FILES, baseUrl = "", links = [], themeItem, keyItem }: ReferenceOptions,
  key: KeyHeader | undefined,
  content: Html | undefined,
): string {
  const title = titleOf(reference);
  const brand = html`<img src="${files}icon.svg" width="26" height="26" alt=""> ${content === undefined ? "API reference" : title}`;
  const page = html`<!doctype html>
<html lang="en" data-theme-item="${themeItem ?? "reference.theme"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference${content === undefined ? undefined : ` · ${title}`}</title>
<link rel="icon" href="${files}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${files}reference.css">
<script src="${files}reference.js">${SCRIPT_END}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><div class="bar-row"><a class="brand" href="${links[0]?.href.replace(/#.*/s, "") ?? "#main"}">${brand}</a><nav class="bar-links" aria-label="Pages">${links.map(
    ({ href, label, short = label }) =>
      html`<a href="${href}" aria-label="${label}"><span class="wide">${label}</span><span class="narrow">${short}</span></a>`,
  )}</nav><div class="bar-buttons"><a href="#main" aria-current="page" aria-label="API reference">API</a><button type="button" class="icon-button theme" aria-label="Dark theme" aria-pressed="false"><svg class="icon" aria-hidden="true"><use href="#i-theme"/></svg></button></div></div></header>
${ICONS}
<main id="main" tabindex="-1" data-base-url="${baseUrl}"${
    key === undefined
      ? undefined
      : html` data-key-header="${key.name}" data-key-prefix="${key.prefix}" data-key-item="${keyItem ?? "reference.api-key"}"`
  }${content === undefined ? html` data-content="${files}content"` : undefined}>${content ?? keyForm()}</main>
<p class="off-screen" role="status" id="said"></p>
</body>
</html>
`;
  return page.html;
}

/** The form of a locked page. */
function keyForm(): Html {
  return html`<form class="card key-form" id="key-form" hidden><h1>This server needs an API key</h1><p>Ask the person who runs it for one. It stays in this tab until you close it.</p><div class="field"><label for="api-key">API key</label><input class="control mono" id="api-key" type="password" autocomplete="off" required aria-describedby="key-problem"><p class="field-error" id="key-problem" role="alert"></p></div><button class="button" type="submit">Continue</button></form><noscript><p>This page needs JavaScript, because it sends your API key in a header.</p></noscript>`;
}

/** Operations by their first tag, in the order of the tags of the document, with the name of the tag for people. */
function groupsOf({
  document,
  operations,
}: ReferenceModel): { title: string; description: string; members: ReferenceOperation[] }[] {
  const tags = listOf(objectOf(document).tags).map(objectOf);
  const names = [...new Set([...tags.map((tag) => textIn(tag.name)), ...operations.map(({ tag }) => tag)])];
  return names
    .map((name) => {
      const tag = tags.find((each) => each.name === name);
      return {
        title: textIn(tag?.["x-displayName"]) || name,
        description: textIn(tag?.description),
        members: operations.filter((operation) => operation.tag === name),
      };
    })
    .filter(({ members }) => members.length > 0);
}

function contentOf(reference: ReferenceModel, key: KeyHeader | undefined, options: ReferenceOptions): Html {
  const { document } = reference;
  const server = serverOf(reference);
  const common = commonErrors(reference);
  const findRpc = findRpcIn(options.methods ?? []);
  const context = { document, common, server, key, findRpc };
  const groups = groupsOf(reference);
  const example = errorExample(reference);
  const errors = errorSection(
    common,
    example && codeBlock(`Response · ${example.status}`, indentedJson(example.value)),
  );
  const types = typeSections(document);
  const sections = groups.map(
    ({ title, description, members }) =>
      html`${title === "" ? undefined : html`<div class="group-head"><h2>${title}</h2>${markdown(description)}</div>`}${members.map((each) => operationSection(each, context))}`,
  );
  return html`<nav class="index" aria-label="API reference"><details open><summary>Methods</summary><label class="off-screen" for="filter">Filter methods</label><input class="control" id="filter" type="search" placeholder="Filter" autocomplete="off" spellcheck="false"><ul><li class="top"><a href="#start">Start</a></li></ul>${groups.map(
    ({ title, members }) =>
      html`<div>${title === "" ? undefined : html`<p>${title}</p>`}<ul>${members
        .flatMap(methodsOf)
        .map(
          ({ name, title: what, anchor, verb, path }) =>
            html`<li data-words="${name} ${path}"><a href="#${anchor}"><span class="verb">${verb}</span> ${inlineMarkdown(what)}</a></li>`,
        )}</ul></div>`,
  )}<ul>${types === undefined ? undefined : html`<li class="top"><a href="#types">Types</a></li>`}${
    errors === undefined ? undefined : html`<li class="top"><a href="#errors">Errors</a></li>`
  }</ul></details></nav><div class="ref">${start(reference, context, options)}${sections}${types}${errors}</div>`;
}

/** What the API is, and a first request: that of the first operation that only reads. */
function start(
  reference: ReferenceModel,
  context: SectionContext,
  { documentUrl = DEFAULT_DOCUMENT }: ReferenceOptions,
): Html {
  const info = objectOf(objectOf(reference.document).info);
  const license = objectOf(info.license);
  const { key } = context;
  const { absolute } = context.server;
  const first =
    reference.operations.find(({ httpMethod }) => httpMethod === "GET") ?? reference.operations[0];
  const base =
    absolute === undefined ? html`<span data-base>http://localhost:8080</span>` : html`${absolute}`;
  const facts: [string, Html][] = [
    ["Base URL", html`<code>${base}</code>`],
    ["Version", html`${textIn(info.version)}`],
    ...(key === undefined
      ? []
      : [["API key", html`<code>${key.name}: ${key.prefix}…</code>`] as [string, Html]]),
    [
      "Description",
      html`<a href="${documentUrl}">${documentUrl}</a> (OpenAPI ${textIn(objectOf(reference.document).openapi)})`,
    ],
    ...(license.name === undefined
      ? []
      : [["License", inlineMarkdown(textIn(license.name))] as [string, Html]]),
  ];
  return html`<section class="method" aria-labelledby="start"><div class="doc"><h1 id="start">${titleOf(reference)}</h1>${markdown(
    textIn(info.description),
  )}<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></div><div class="side">${
    first === undefined ? undefined : firstRequest(first, context)
  }${
    key === undefined
      ? undefined
      : html`<div class="field key-field" hidden><label for="api-key">API key for “Try it”</label><input class="control mono" id="api-key" type="password" autocomplete="off" spellcheck="false"><p class="meta">It stays in this tab until you close it, and is sent in a header only.</p></div>`
  }</div></section>`;
}
