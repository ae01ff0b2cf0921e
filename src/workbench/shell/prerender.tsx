import { renderToString } from "preact-render-to-string";
import { panelHash } from "../kit/location.js";
import { TOOLS } from "../panels.js";
import { Header, SkipLink } from "./layout.js";
import { Skeleton } from "./skeleton.js";

/** The links of the navigation, relative to the page. */
export const panelLinks = TOOLS.map(({ id, title, short = title }) => ({
  href: `./${panelHash(id)}`,
  label: title,
  short,
}));

/** Returns the HTML that is painted before the script of the page arrives, which then takes it over. */
export function shellHtml(): string {
  return renderToString(
    <>
      <SkipLink />
      <Header current={undefined} onSearch={() => {}} />
      <main id="main" tabIndex={-1}>
        <Skeleton />
      </main>
    </>,
  );
}
