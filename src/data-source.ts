/** Data that answers are made of, and whose it is. */
export interface DataSource {
  /** What the data is called. */
  readonly name: string;
  /** Who publishes it; empty where nobody has said. */
  readonly publisher: string;
  /** Where its publisher tells of it; empty where nobody has said. */
  readonly url: string;
  /** An SPDX licence expression (https://spdx.org/licenses/); `NOASSERTION` where nobody has said. */
  readonly licence: string;
  /** The credit that is asked for, as plain text; empty where none is. */
  readonly attribution: string;
  /** The version or edition as its publisher counts them; empty for what is known by its date alone. */
  readonly version: string;
  /** When this edition was made; undefined where that is not known. */
  readonly builtAt: Date | undefined;
}
