// Shows the API that this page comes from. The page has no way to any other host: see its
// Content-Security-Policy.

const base = new URL(".", location.href).href.replace(/\/$/, "");
const response = await fetch("openapi.json");
const document = await response.json();

SwaggerUIBundle({
  // Requests go to where the page is, by whatever name it was opened.
  spec: { ...document, servers: [{ url: base }] },
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
