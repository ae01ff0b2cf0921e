import type { DescService } from "@bufbuild/protobuf";
import comments from "@utility-tools/protos/comments.json" with { type: "json" };
import { DEFAULT_LIMITS, requestLimit } from "connect-transcoding";
import {
  type Documentation,
  type OpenApiDocument,
  openApiDocument,
  type ServerDescription,
} from "connect-transcoding/openapi";
import { httpOptionsOf, type MethodOptions, readHttpBindings } from "connect-transcoding/rules";
import { packageDescription, packageHomepage, packageVersion } from "../installed-package.js";
import { ERROR_DOMAIN } from "./access-names.js";

const DESCRIPTION = `${packageDescription()}

All errors have the same format, with a machine-readable \`reason\`; all invalid parameters are reported together.

IP geolocation by [DB-IP](https://db-ip.com) (CC-BY-4.0), unless other files are configured; countries
and states from the [Countries States Cities Database](https://github.com/dr5hn/countries-states-cities-database)
(ODbL-1.0). \`GET /v1/about\` lists all data in use.`;

/**
 * Returns the documentation of the installed version: title, version, description, contact, and the comments of the protos.
 */
export function loadDocumentation(): Documentation {
  const url = packageHomepage();
  return {
    info: {
      title: "Utility Tools",
      version: packageVersion(),
      description: DESCRIPTION.replaceAll(/(?<!\n)\n(?!\n)/g, " "),
      contact: { name: "The maintainers of Utility Tools", ...(url === undefined ? {} : { url }) },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    comments,
  };
}

/** The settings of a server that its document describes. */
export interface DocumentedSettings
  extends Pick<ServerDescription, "rejections" | "securitySchemes" | "unknownParameters"> {
  /** Scheme and authority of URLs, without a final slash; undefined for those of the request. */
  readonly publicBaseUrl: string | undefined;
  /** Overrides the HTTP options of a method; undefined keeps those of its proto file. */
  readonly methodOptions?: MethodOptions | undefined;
  /** The maximum length of a request body or message in bytes. */
  readonly maxRequestBytes: number;
  /** The maximum length of the headers of a request in bytes. */
  readonly maxHeaderBytes?: number | undefined;
}

/** The names of services for people. Default: that of the service. */
const TITLES: Readonly<Record<string, string>> = {
  AboutService: "This service",
  BarcodeService: "QR codes",
  CountriesService: "Countries",
  EmailService: "E-mail addresses",
  GeoIpService: "IP geolocation",
  OtpService: "One-time passwords",
};

/** Creates the OpenAPI document of services as a server with these settings serves them. */
export function serviceDocument(
  services: readonly DescService[],
  documentation: Documentation,
  {
    publicBaseUrl,
    methodOptions,
    maxRequestBytes,
    maxHeaderBytes = DEFAULT_LIMITS.maxHeaderBytes,
    rejections,
    securitySchemes,
    unknownParameters,
  }: DocumentedSettings,
): OpenApiDocument {
  const bindings = services
    .flatMap(({ methods }) => methods.flatMap((method) => readHttpBindings(method)))
    .map((binding) => ({ ...binding, options: httpOptionsOf(binding.method, methodOptions) }));
  const document = openApiDocument(bindings, documentation, {
    ...(rejections && { rejections }),
    ...(securitySchemes && { securitySchemes }),
    ...(unknownParameters && { unknownParameters }),
    baseUrl: publicBaseUrl,
    requestLimit: requestLimit(maxRequestBytes),
    maxHeaderBytes,
    errorDomain: ERROR_DOMAIN,
  });
  const tags = document.tags.map((tag) => ({ ...tag, "x-displayName": TITLES[tag.name] ?? tag.name }));
  return { ...document, tags };
}
