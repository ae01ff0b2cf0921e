import type { ComponentChildren } from "preact";
import { Icon } from "../../kit/icon.js";
import type { ShownError } from "../../kit/service/errors.js";
import { useAnnouncement } from "../../kit/session.js";
import { sentenceOf } from "../../kit/text.js";
import "./result-card.css";

interface ResultCardProps {
  /** The id of the panel, which is the name of its icon too. */
  readonly tool: string;
  /** What the text was taken for. */
  readonly what: string;
  /** The heading, which is announced; "" while it is not known. */
  readonly title: string;
  /** Shown in place of the title. "" shows no heading. */
  readonly heading?: ComponentChildren;
  /** Before the heading. */
  readonly picture?: ComponentChildren;
  /** Below the heading. */
  readonly below?: string | undefined;
  /** After the heading. */
  readonly button?: ComponentChildren;
  readonly error: ShownError | undefined;
  /** What to say instead of the service's description of a wrong text. */
  readonly mistake?: string | undefined;
  /** Where the answer goes on. */
  readonly link: { readonly href: string; readonly text: string; readonly onFollow?: () => void };
  /** At the end of the last line: another reading, or the age of the data. */
  readonly aside?: ComponentChildren;
  /** Everything below the heading, if there is no error. */
  readonly children?: ComponentChildren;
}

/** The frame of an answer: what the text was taken for, the answer, and the link to the panel. */
export function ResultCard(props: ResultCardProps) {
  const { tool, what, title, heading = title, picture, below = "", button, link, aside, children } = props;
  const { error, mistake } = props;
  const [violation] = error?.violations ?? [];
  useAnnouncement(error === undefined ? title : "");
  return (
    <section
      class="card home-result"
      data-tool={tool}
      aria-label="Answer"
      aria-busy={title === "" && error === undefined}
    >
      <div class="stack home-result-body">
        <p class="cell pill">
          <Icon name={tool} /> {what}
        </p>
        {error !== undefined && (
          <p class="wrong" role="alert">
            {sentenceOf(violation === undefined ? error.message : (mistake ?? violation.description))}
          </p>
        )}
        {title !== "" && heading !== "" && error === undefined && (
          <div class="row heading tight home-title">
            {picture}
            <div>
              <h2>{heading}</h2>
              {below !== "" && <p class="home-text soft">{below}</p>}
            </div>
            {button}
          </div>
        )}
        {error === undefined && children}
      </div>
      <div class="row spread home-result-end">
        <a href={link.href} onClick={link.onFollow}>
          {link.text}
        </a>
        {aside !== undefined && <span class="meta">{aside}</span>}
      </div>
    </section>
  );
}
