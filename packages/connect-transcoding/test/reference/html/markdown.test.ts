import { expect, test } from "vitest";
import { inlineMarkdown, markdown } from "../../../src/reference/html/markdown.js";

test.each([
  ["", ""],
  ["One.\nStill one.\n\nTwo.", "<p>One. Still one.</p><p>Two.</p>"],
  [
    "`a*b*` and **bold `c`** and *weak*.",
    "<p><code>a*b*</code> and <strong>bold <code>c</code></strong> and <em>weak</em>.</p>",
  ],
  ["2 * 3 * 4 and snake*case*d", "<p>2 * 3 * 4 and snake*case*d</p>"],
  ["[A](https://a.example/?b=1&c=2)", '<p><a href="https://a.example/?b=1&amp;c=2">A</a></p>'],
  [
    "[A](#b) [C](../c) [D](mailto:a@b.c)",
    '<p><a href="#b">A</a> <a href="../c">C</a> <a href="mailto:a@b.c">D</a></p>',
  ],
  ["List:\n- a\n  more\n- `b`", "<p>List:</p><ul><li>a more</li><li><code>b</code></li></ul>"],
  ["1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"],
  ["# Title", "<p><strong>Title</strong></p>"],
  ["A\n\n```sh\na < b\n\nc\n```\n\nB", '<p>A</p><pre tabindex="0">a &lt; b\n\nc</pre><p>B</p>'],
])("converts %j", (text, expected) => {
  expect(markdown(text).html).toBe(expected);
});

test.each([
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>1</script>)",
  '[x](https://a/"onclick=alert)',
  "`<b onload=1>`",
  "**<i>**",
])("%s adds no element with code and no attribute", (text) => {
  const { html } = inlineMarkdown(text);
  expect(html.replaceAll(/<\/?(?:code|strong)>|<a href="https:[^"<>]*">|<\/a>/g, "")).not.toMatch(/[<>]/);
  expect(html).not.toMatch(/href="(?:javascript|data)/);
});
