import type { DescMethod } from "@bufbuild/protobuf";
import { knownOptions } from "@utility-tools/http-server/portable";
import type { HttpBinding } from "../routes/rules/http-rule.js";
import { type Documentation, openApiDocument, type ServerDescription } from "./document.js";
import type { OpenApiDocument } from "./open-api.js";

/** Options of {@link openApiDocuments}. */
export interface DocumentsOptions {
  /** Returns the name of the document of a method; undefined leaves the method out. Default: the package of its proto file. */
  readonly documentOf?: (method: DescMethod) => string | undefined;
}

/**
 * Creates several documents of a route table by name, in the order of the bindings: one for each package of proto files, such as
 * `library.v1` and `library.v2`, or as `documentOf` says. `documentation` can depend on the name.
 */
export function openApiDocuments(
  bindings: readonly HttpBinding[],
  documentation: Documentation | ((name: string) => Documentation),
  server: ServerDescription,
  options: DocumentsOptions = {},
): ReadonlyMap<string, OpenApiDocument> {
  const { documentOf = ({ parent }) => parent.file.proto.package } = knownOptions<DocumentsOptions>(
    "openApiDocuments",
    options,
    { documentOf: true },
  );
  const groups = new Map<string, HttpBinding[]>();
  for (const binding of bindings) {
    const name = documentOf(binding.method);
    if (name !== undefined) {
      groups.set(name, [...(groups.get(name) ?? []), binding]);
    }
  }
  return new Map(
    [...groups].map(([name, group]) => {
      const own = typeof documentation === "function" ? documentation(name) : documentation;
      return [name, openApiDocument(group, own, server)];
    }),
  );
}
