// Shows the API of the service that serves this page. The Content-Security-Policy of the page blocks all other hosts.

/** The item of the session storage with the API key; the page of the tools uses it as well. */
const STORAGE_KEY = "utility-tools.api-key";

function readKey() {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? "";
  } catch {
    return "";
  }
}

function keepKey(key) {
  try {
    sessionStorage.setItem(STORAGE_KEY, key);
  } catch {
    // Without storage, the key is asked for on each visit.
  }
}

/** Fetches the OpenAPI document. Keys that no header can contain are rejected without a request. */
async function fetchDocument(key) {
  if (!/^[\w\-.~+/=]*$/.test(key)) {
    return undefined;
  }
  const headers = key === "" ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch("openapi.json", { headers });
  return response.status === 401 ? undefined : response.json();
}

/** Asks for an API key until the service accepts one. Resolves to the document and the key. */
function askForKey(isRejected) {
  const form = document.getElementById("key-form");
  const input = document.getElementById("key");
  const problem = document.getElementById("key-problem");
  const show = () => {
    problem.textContent = "This key is not valid. Check that it is complete, or ask for a new one.";
    input.focus();
  };
  document.getElementById("reference").hidden = true;
  form.hidden = false;
  input.focus();
  if (isRejected) {
    show();
  }
  return new Promise((resolve, reject) => {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const key = input.value.trim();
      const found = await fetchDocument(key).catch(reject);
      if (found === undefined) {
        show();
        return;
      }
      keepKey(key);
      form.hidden = true;
      document.getElementById("reference").hidden = false;
      resolve({ found, key });
    });
  });
}

async function loadDocument() {
  const key = readKey();
  const found = await fetchDocument(key);
  return found === undefined ? askForKey(key !== "") : { found, key };
}

const { found, key } = await loadDocument();
const base = new URL(".", location.href).href.replace(/\/$/, "");
const ui = SwaggerUIBundle({
  // Send requests to the host name under which the page was opened.
  spec: { ...found, servers: [{ url: base }] },
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
  onComplete: () => {
    if (key !== "" && found.components.securitySchemes !== undefined) {
      ui.preauthorizeApiKey("bearer", key);
    }
  },
});
