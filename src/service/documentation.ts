import { createRequire } from "node:module";
import type { Comments, Documentation } from "connect-transcoding/openapi";

const DESCRIPTION = `Everyday look-ups: one-time passwords, countries with their states, IP geolocation, e-mail
normalisation and QR codes. The same methods are served over gRPC, gRPC-Web and Connect.

Errors have one shape, with a \`reason\` for programs; every parameter that is wrong is named at once.

IP geolocation by [DB-IP](https://db-ip.com) (CC-BY-4.0), unless this service has been given other files; countries
and states from the [Countries States Cities Database](https://github.com/dr5hn/countries-states-cities-database)
(ODbL-1.0). \`GET /v1/about\` tells all of what is in use.`;

const require = createRequire(import.meta.url);

/** Reads the version of the package. */
export function packageVersion(): string {
  const { version }: { version: string } = require("#package.json");
  return version;
}

/** Reads the documentation that comes with the installation: its version, and the comments in its protos. */
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
