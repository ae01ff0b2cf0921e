import { escapeHtml, type Html } from "./html.js";

/** Code, strong text, a link, or emphasis. */
const INLINE =
  /`([^`]+)`|\*\*([^*]+(?:\*[^*]+)*)\*\*|\[([^\]]*)\]\(([^)\s]+)\)|(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g;

/** Links that a document can have: no `javascript:` and no `data:`. */
const SAFE_LINK = /^(?:https?:|mailto:|#|\.{0,2}\/|[\w-]+(?:[/?#]|$))/i;

/**
 * Converts the part of CommonMark that comments have to HTML: paragraphs, lists, fenced code, headings (as strong text), code,
 * strong text, emphasis and links. Everything else, HTML as well, stays text.
 */
export function markdown(text: string): Html {
  const blocks = text.replaceAll("\r\n", "\n").split(/(```[^\n]*\n.*?\n```)/s);
  return {
    html: blocks.map((block, index) => (index % 2 === 1 ? fenced(block) : paragraphs(block))).join(""),
  };
}

/** As {@link markdown}, of text in a line: code, strong text, emphasis and links. */
export function inlineMarkdown(text: string): Html {
  return { html: inline(text.replaceAll("\n", " ")) };
}

function fenced(block: string): string {
  return `<pre tabindex="0">${escapeHtml(block.replace(/^```[^\n]*\n/, "").replace(/\n```$/, ""))}</pre>`;
}

function paragraphs(text: string): string {
  return text
    .split(/\n[ \t]*\n/)
    .filter((each) => each.trim() !== "")
    .map(paragraph)
    .join("");
}

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+/;

function paragraph(text: string): string {
  const lines = text.trim().split("\n");
  const first = lines.findIndex((line) => ITEM.test(line));
  if (first < 0) {
    const heading = /^#{1,6}\s+(.*)$/s.exec(text.trim())?.[1];
    return heading === undefined
      ? `<p>${inline(lines.join(" "))}</p>`
      : `<p><strong>${inline(heading)}</strong></p>`;
  }
  const before = first === 0 ? "" : `<p>${inline(lines.slice(0, first).join(" "))}</p>`;
  const items: string[] = [];
  for (const line of lines.slice(first)) {
    if (ITEM.test(line)) {
      items.push(line.replace(ITEM, ""));
    } else {
      items.push(`${items.pop() ?? ""} ${line.trim()}`);
    }
  }
  const tag = ITEM.exec(lines[first] ?? "")?.[1] === undefined ? "ul" : "ol";
  return `${before}<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join("")}</${tag}>`;
}

function inline(text: string): string {
  let result = "";
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [all, code, strong, label, link, emphasis] = match;
    result += escapeHtml(text.slice(end, match.index));
    end = match.index + all.length;
    if (code !== undefined) {
      result += `<code>${escapeHtml(code)}</code>`;
    } else if (strong !== undefined) {
      result += `<strong>${inline(strong)}</strong>`;
    } else if (link !== undefined) {
      const shown = inline(label ?? "");
      result += SAFE_LINK.test(link) ? `<a href="${escapeHtml(link)}">${shown}</a>` : shown;
    } else {
      result += `<em>${inline(emphasis ?? "")}</em>`;
    }
  }
  return result + escapeHtml(text.slice(end));
}
