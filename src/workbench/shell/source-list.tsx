import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { DataSource } from "@utility-tools/protos/utilitytools/v1/about_pb.js";

/** The data that answers are made of: whose it is, under which licence, and how old. */
export function SourceList({ sources }: { readonly sources: readonly DataSource[] }) {
  return (
    <details class="sources">
      <summary>Data in use: {sources.length} sources</summary>
      <ul>
        {sources.map(({ name, publisher, url, licence, version, buildTime }) => {
          const date = buildTime === undefined ? "" : timestampDate(buildTime).toISOString().slice(0, 10);
          const facts = [publisher, licence, version, date].filter((fact) => fact !== "");
          return (
            <li key={`${name} ${version}`}>
              {isWebUrl(url) ? <a href={url}>{name}</a> : name}
              <span> {facts.join(" · ")}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** What data says of itself is not to become a link that runs something. */
function isWebUrl(url: string): boolean {
  return /^https?:\/\//.test(url);
}
