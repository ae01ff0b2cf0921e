import {
  IpLocationSchema,
  type IpLookup,
  IpLookupSchema,
  type IpMetadata,
  IpMetadataSchema,
} from "../../../../gen/utilitytools/v1/geoip_pb.js";
import { Flag } from "../../flags/flag.js";
import { useDrawsFlags } from "../../flags/use-draws-flags.js";
import { FieldValue, fieldValueOf } from "../../kit/fact-list.js";
import "../../kit/table.css";
import { fieldLabel } from "../../kit/field-text.js";

/** What of an address stands in the table beside its country. */
const COLUMNS = [IpMetadataSchema.field.asnName, IpMetadataSchema.field.subnet];

interface BatchTableProps {
  readonly results: readonly IpLookup[];
  /** What a country is called, by its alpha-2 code. */
  readonly nameOf: (code2: string) => string;
}

/** What came of each address of a batch, one row each: its answer or its error. */
export function BatchTable({ results, nameOf }: BatchTableProps) {
  const isDrawn = useDrawsFlags();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section class="table-frame" tabIndex={0} aria-label="Results">
      <table>
        <thead>
          <tr>
            <th scope="col">{fieldLabel(IpLookupSchema.field.input)}</th>
            <th scope="col">{fieldLabel(IpLocationSchema.field.country)}</th>
            {COLUMNS.map((field) => (
              <th key={field.localName} scope="col">
                {fieldLabel(field)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {results.map(({ input, outcome }, index) => (
            <tr key={index}>
              <th scope="row" class="code">
                {input}
              </th>
              {outcome.case === "answer" && outcome.value.metadata !== undefined && (
                <Answer metadata={outcome.value.metadata} nameOf={nameOf} isDrawn={isDrawn} />
              )}
              {outcome.case === "error" && (
                <td class="table-error" colSpan={COLUMNS.length + 1}>
                  {outcome.value.message}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface AnswerProps {
  readonly metadata: IpMetadata;
  readonly nameOf: (code2: string) => string;
  readonly isDrawn: boolean;
}

function Answer({ metadata, nameOf, isDrawn }: AnswerProps) {
  const code = metadata.location?.country ?? "";
  return (
    <>
      <td>
        {code === "" ? (
          <FieldValue field={IpLocationSchema.field.country} value={code} />
        ) : (
          <span class="geoip-cell">
            <Flag code={code} isDrawn={isDrawn} /> {nameOf(code)}
          </span>
        )}
      </td>
      {COLUMNS.map((field) => (
        <td key={field.localName}>
          <FieldValue field={field} value={fieldValueOf(metadata, field)} />
        </td>
      ))}
    </>
  );
}
