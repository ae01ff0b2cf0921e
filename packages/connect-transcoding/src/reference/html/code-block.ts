import { BASE, type Snippet, WITHOUT_TLS } from "../snippets.js";
import { escapeHtml, type Html, html } from "./html.js";

/** Where an API is. */
export interface ServerUrl {
  /** Without a final slash; undefined if it is that of the page. */
  readonly absolute: string | undefined;
}

/** Stands in for the URL of the page until the script knows it. */
const EXAMPLE_URL = "http://localhost:8080";

const COPY = html`<button type="button" class="icon-button copy" aria-label="Copy" title="Copy"><svg class="icon" aria-hidden="true"><use href="#i-copy"/></svg></button>`;

/** Text with one heading. */
export function codeBlock(title: string, text: Html): Html {
  return html`<div class="code"><div class="code-head"><span class="meta">${title}</span>${COPY}</div><pre tabindex="0" role="group" aria-label="${title}">${text}</pre></div>`;
}

/** Programs in several languages, one of which is shown. */
export function snippetBlock(snippets: readonly Snippet[], label: string, server: ServerUrl): Html {
  const tabs = snippets.map(
    ({ language }, index) =>
      html`<button type="button" role="tab" aria-selected="${String(index === 0)}" tabindex="${index === 0 ? 0 : -1}">${language}</button>`,
  );
  const panels = snippets.map(
    ({ language, text }, index) =>
      html`<pre role="tabpanel" tabindex="0" aria-label="${language}"${index === 0 ? undefined : html` hidden`}>${snippetText(text, server)}</pre>`,
  );
  return html`<div class="code" data-tabs><div class="code-head"><div class="tabs" role="tablist" aria-label="${label}">${tabs}</div>${COPY}</div>${panels}</div>`;
}

function snippetText(text: string, { absolute }: ServerUrl): Html {
  const withoutTls = " --http2-prior-knowledge";
  return absolute === undefined
    ? {
        html: escapeHtml(text)
          .replaceAll(BASE, `<span data-base>${EXAMPLE_URL}</span>`)
          .replaceAll(WITHOUT_TLS, `<span data-no-tls>${withoutTls}</span>`),
      }
    : {
        html: escapeHtml(
          text
            .replaceAll(BASE, absolute)
            .replaceAll(WITHOUT_TLS, absolute.startsWith("http:") ? withoutTls : ""),
        ),
      };
}
