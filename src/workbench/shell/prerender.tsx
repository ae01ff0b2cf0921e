import { renderToString } from "preact-render-to-string";
import { Header, SkipLink } from "./layout.js";
import { Skeleton } from "./skeleton.js";

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
