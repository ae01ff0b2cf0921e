import { keyHeaders, storedKey } from "./api-key.js";

/** The length of the text that is shown of a response, in characters. */
const MAX_SHOWN = 200_000;
/** The length of a response that is read, in bytes: a stream may never end. */
const MAX_READ = 8 * 1024 * 1024;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A request as the fields of a form describe it. Nothing of it gets into the URL of the page. */
interface Request {
  readonly url: string;
  readonly init: RequestInit;
}

function requestOf(form: HTMLFormElement, base: string): Request {
  const { method = "GET", path = "", media } = form.dataset;
  const headers = new Headers(keyHeaders(storedKey()));
  const query = new URLSearchParams();
  let target = path;
  let body: string | undefined;
  for (const control of form.querySelectorAll<Control>("[name]")) {
    const [place, ...rest] = control.name.split(":");
    const name = rest.join(":");
    const { lines } = control.dataset;
    const texts =
      lines === undefined ? [control.value] : control.value.split("\n").filter((line) => line !== "");
    for (const text of texts) {
      if (place === "path") {
        target = target.replaceAll(`{${name}}`, encodeURIComponent(text));
      } else if (place === "body") {
        body = text;
      } else if (text !== "" && place === "query") {
        const [key = "", ...value] = lines === "map" ? text.split("=") : [];
        query.append(lines === "map" ? `${name}[${key}]` : name, lines === "map" ? value.join("=") : text);
      } else if (text !== "") {
        headers.append(name, text);
      }
    }
  }
  if (body !== undefined && body !== "" && media !== undefined) {
    headers.set("content-type", media);
  } else {
    body = undefined;
  }
  const search = query.size === 0 ? "" : `?${query}`;
  return { url: `${base}${target}${search}`, init: { method, headers, body: body ?? null } };
}

/** What is shown of a response. */
interface Answer {
  readonly status: string;
  readonly content: HTMLElement | undefined;
}

async function send({ url, init }: Request, signal: AbortSignal): Promise<Answer> {
  const start = performance.now();
  const response = await fetch(url, { ...init, signal, cache: "no-store", credentials: "same-origin" });
  const type = response.headers.get("content-type") ?? "";
  const { data, isCut } = await readBody(response, signal);
  const milliseconds = Math.round(performance.now() - start);
  const size = data.size === 0 ? "" : ` · ${data.size.toLocaleString("en")} bytes`;
  const status = `${response.status} ${response.statusText} · ${milliseconds} ms${size}${isCut ? ", cut" : ""}`;
  if (data.size === 0) {
    return { status, content: undefined };
  }
  if (type.startsWith("image/")) {
    const image = document.createElement("img");
    image.src = URL.createObjectURL(new Blob([data], { type }));
    image.alt = "The image in the response";
    image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
    return { status, content: image };
  }
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", "Body of the response");
  pre.textContent = shorten(readable(await data.text(), type));
  return { status, content: pre };
}

async function readBody(response: Response, signal: AbortSignal): Promise<{ data: Blob; isCut: boolean }> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  let length = 0;
  let isCut = false;
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      chunks.push(next.value);
      length += next.value.length;
      if (length > MAX_READ) {
        isCut = true;
        await reader?.cancel();
        break;
      }
    }
  } catch (thrown) {
    // What came before the user stopped it is shown.
    if (!signal.aborted || length === 0) {
      throw thrown;
    }
    isCut = true;
  }
  return { data: new Blob(chunks), isCut };
}

function readable(text: string, type: string): string {
  if (!/\bjson\b/.test(type) || text.length > MAX_SHOWN) {
    return text;
  }
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function shorten(text: string): string {
  return text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} more characters`;
}

/** Makes a form send requests; its button stops one. */
function watchForm(form: HTMLFormElement, base: string): void {
  const button = form.querySelector("button");
  const status = form.querySelector("[role=status]");
  const answer = form.querySelector<HTMLElement>(".answer");
  let running: AbortController | undefined;
  if (!button || !status || !answer) {
    return;
  }
  form.querySelector<HTMLSelectElement>("[data-calls]")?.addEventListener("change", (event) => {
    const select = event.target instanceof HTMLSelectElement ? event.target : undefined;
    fillIn(form, JSON.parse(select?.selectedOptions[0]?.dataset.values ?? "{}"));
  });
  // An answer belongs to the request above it.
  form.addEventListener("input", () => {
    answer.hidden = true;
    status.textContent = "";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (running !== undefined) {
      running.abort();
      return;
    }
    const controller = new AbortController();
    running = controller;
    button.textContent = "Stop";
    status.textContent = "Sending …";
    try {
      const shown = await send(requestOf(form, base), controller.signal);
      status.textContent = shown.status;
      answer.hidden = shown.content === undefined;
      answer.replaceChildren(...(shown.content === undefined ? [] : [shown.content]));
    } catch {
      answer.hidden = true;
      status.textContent = controller.signal.aborted
        ? "Stopped."
        : "The server is not reachable, or the browser refused the request. Try again.";
    }
    running = undefined;
    button.textContent = "Send";
  });
}

function fillIn(form: HTMLFormElement, values: Readonly<Record<string, string>>): void {
  for (const control of form.querySelectorAll<Control>("[name]")) {
    control.value = values[control.name] ?? "";
  }
}

/** Makes all forms of the page work. */
export function watchForms(base: string): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-path]")) {
    watchForm(form, base);
  }
}
