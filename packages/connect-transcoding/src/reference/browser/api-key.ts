// The key is in the session storage of the tab and in a header of requests: never in a URL.

const main = (): HTMLElement | null => document.getElementById("main");

function item(): string | undefined {
  return main()?.dataset.keyItem;
}

/** Returns the key that was entered in this tab; an empty text without one. */
export function storedKey(): string {
  try {
    return sessionStorage.getItem(item() ?? "") ?? "";
  } catch {
    return "";
  }
}

/** Keeps a key until the tab is closed. */
function keepKey(key: string): void {
  try {
    sessionStorage.setItem(item() ?? "", key);
  } catch {
    // Without storage, the key is asked for on each visit.
  }
}

/** Returns the header with a key; none without one, and for a key that no header can contain. */
export function keyHeaders(key: string): Record<string, string> {
  const { keyHeader, keyPrefix = "" } = main()?.dataset ?? {};
  return keyHeader === undefined || !/^[\x21-\x7E]+$/.test(key) ? {} : { [keyHeader]: `${keyPrefix}${key}` };
}

/** Shows the field for a key, if the API has keys. */
export function watchKeyField(): void {
  const field = document.querySelector<HTMLElement>(".key-field");
  const input = field?.querySelector("input");
  if (field && input) {
    field.hidden = false;
    input.value = storedKey();
    input.addEventListener("change", () => keepKey(input.value.trim()));
  }
}

/** Fetches the reference of a locked page, and asks for a key until the server accepts one. */
export async function unlock(element: HTMLElement, url: string): Promise<void> {
  const fetchContent = async (key: string): Promise<string | undefined> => {
    const response = await fetch(url, { headers: keyHeaders(key) });
    if (response.ok) {
      return response.text();
    }
    if (response.status === 401 || response.status === 403) {
      return undefined;
    }
    throw new Error(`The server responded with ${response.status}. Try again later.`);
  };
  const form = document.getElementById("key-form");
  const input = form?.querySelector("input");
  const problem = document.getElementById("key-problem");
  if (!form || !input || !problem) {
    return;
  }
  const attempt = async (key: string, isFirst: boolean): Promise<string | undefined> => {
    try {
      const content = await fetchContent(key);
      if (content === undefined && !(isFirst && key === "")) {
        problem.textContent = "This key is not valid. Check that it is complete, or ask for a new one.";
      }
      return content;
    } catch (thrown) {
      problem.textContent = thrown instanceof Error ? thrown.message : String(thrown);
      return undefined;
    }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  let content = await attempt(storedKey(), true);
  while (content === undefined) {
    form.hidden = false;
    input.focus();
    await new Promise<void>((resolve) => form.addEventListener("submit", () => resolve(), { once: true }));
    problem.textContent = "";
    const key = input.value.trim();
    content = await attempt(key, false);
    if (content !== undefined) {
      keepKey(key);
    }
  }
  // The server wrote it, and it is escaped.
  element.innerHTML = content;
}
