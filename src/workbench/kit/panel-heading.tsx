import type { DescService } from "@bufbuild/protobuf";
import { commentOf } from "./comments.js";
import { Prose } from "./prose.js";

/** The heading of a panel, and what the schema says of its service. */
export function PanelHeading({ title, service }: { readonly title: string; readonly service: DescService }) {
  return (
    <div class="panel-heading">
      <h1>{title}</h1>
      <p>
        <Prose text={commentOf(service)} />
      </p>
    </div>
  );
}
