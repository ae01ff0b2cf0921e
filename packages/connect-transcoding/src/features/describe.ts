import type { DescribedApi, Page } from "../call/http/pages.js";
import { openApiDocument } from "../openapi/document.js";
import { grpcGatewayErrors, problemDetails } from "../protocols/rest/error-forms.js";
import { referencePages } from "../reference/pages.js";
import { type Description, loadComments } from "./description.js";

/** Creates the OpenAPI document and the reference of an API. Throws an Error for documentation that is invalid. */
export async function describe(
  { openapi, prefix, transcoding }: Description,
  { bindings, methods }: DescribedApi,
): Promise<ReadonlyMap<string, Page>> {
  const { title, version, description = "" } = openapi;
  const { unknownParameters, json, systemParameters, mapParameters, errorDomain, encodeError } = transcoding;
  const limits = new Map(methods.map(({ method, maxRequestBytes }) => [method, maxRequestBytes]));
  const document = openApiDocument(
    bindings,
    { info: { title, version, description }, comments: await loadComments(openapi) },
    {
      baseUrl: prefix === "" ? undefined : prefix,
      requestLimit: (method) => limits.get(method) ?? 0,
      json,
      errorForm: [problemDetails, grpcGatewayErrors].find((each) => each.encodeError === encodeError),
      ...(unknownParameters && { unknownParameters }),
      ...(systemParameters !== undefined && { systemParameters }),
      ...(mapParameters !== undefined && { mapParameters }),
      ...(errorDomain !== undefined && { errorDomain }),
    },
  );
  const own = methods
    .map(({ method }) => method)
    .filter(({ parent }) => !parent.typeName.startsWith("grpc."));
  return referencePages(document, { methods: own });
}
