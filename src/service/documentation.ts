import { createRequire } from "node:module";
import type { Comments, Documentation } from "connect-transcoding/openapi";
import { packageVersion } from "../installed-package.js";

const DESCRIPTION = `Everyday lookups: one-time passwords, countries with their states, IP geolocation, e-mail
normalization and QR codes. The same methods are available over gRPC, gRPC-Web and Connect.

All errors have the same format, with a machine-readable \`reason\`; all invalid parameters are reported together.

IP geolocation by [DB-IP](https://db-ip.com) (CC-BY-4.0), unless other files are configured; countries
and states from the [Countries States Cities Database](https://github.com/dr5hn/countries-states-cities-database)
(ODbL-1.0). \`GET /v1/about\` lists all data in use.`;

const require = createRequire(import.meta.url);

/** Returns the documentation of the installed version: title, version, description, and the comments of the protos. */
export function loadDocumentation(): Documentation {
  const comments: Comments = require("@utility-tools/protos/comments.json");
  return {
    info: {
      title: "Utility Tools",
      version: packageVersion(),
      description: DESCRIPTION.replaceAll(/(?<!\n)\n(?!\n)/g, " "),
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    comments,
  };
}
