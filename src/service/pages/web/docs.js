// Shows the API of the service that serves this page. The Content-Security-Policy of the page blocks all other hosts.

const base = new URL(".", location.href).href.replace(/\/$/, "");
const response = await fetch("openapi.json");
const document = await response.json();

SwaggerUIBundle({
  // Send requests to the host name under which the page was opened.
  spec: { ...document, servers: [{ url: base }] },
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
