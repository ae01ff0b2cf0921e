import { Icon } from "../kit/icon.js";
import { type Sources, useAbout } from "../kit/service/about.js";
import { PANELS, TOOLS } from "../panels.js";
import { paletteKeys } from "./shortcuts.js";
import { ThemeToggle } from "./theme.js";

interface HeaderProps {
  /** The id of the panel that is shown. */
  readonly current: string | undefined;
  /** Called to open the palette. */
  readonly onSearch: () => void;
}

/** The first element that takes the focus. */
export function SkipLink({ onFollow }: { readonly onFollow?: () => void }) {
  return (
    // biome-ignore lint/a11y/useValidAnchor: a link within the page; the hash of the URL names the panel
    <a
      class="skip-link"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        onFollow?.();
      }}
    >
      Skip to the content
    </a>
  );
}

/** The name of the page, the navigation, and the buttons for the palette and the theme. */
export function Header({ current, onSearch }: HeaderProps) {
  return (
    <header class="header">
      <div class="header-row">
        <a class="brand" href="#/" aria-current={current === PANELS[0]?.id ? "page" : undefined}>
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <rect width="32" height="32" rx="8" class="brand-ground" />
            <path d="M9 8v9a7 7 0 0 0 14 0V8" class="brand-line" />
            <circle cx="16" cy="10" r="2.25" class="brand-dot" />
          </svg>
          Utility Tools
        </a>
        <nav class="panels" aria-label="Tools">
          {TOOLS.map(({ id, title, short = title, load }) => (
            <a
              key={id}
              href={`#/${id}`}
              data-tool={id}
              aria-current={id === current ? "page" : undefined}
              onPointerEnter={() => preload(load)}
              onFocus={() => preload(load)}
            >
              <Icon name={id} />
              <span class="panel-title">{title}</span>
              <span class="panel-short" aria-hidden="true">
                {short}
              </span>
            </a>
          ))}
        </nav>
        <div class="header-buttons">
          <a class="api-link" href="docs" aria-label="API reference">
            API
          </a>
          <button
            type="button"
            class="quiet search-button"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={onSearch}
          >
            <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
              <circle cx="8.5" cy="8.5" r="5.5" fill="none" stroke="currentColor" stroke-width="1.6" />
              <path d="m13 13 4.5 4.5" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
            </svg>
            <span class="search-label">Go to …</span>
            <span class="search-keys" aria-hidden="true">
              {paletteKeys()}
            </span>
          </button>
          <ThemeToggle />
        </div>
      </div>
    </header>
  );
}

/** Loads a panel in advance. Ignores errors: they are reported when the panel is shown. */
function preload(load: () => Promise<unknown>): void {
  load().catch(() => {});
}

const LINKS = [
  ["openapi.json", "OpenAPI"],
  ["healthz", "Health"],
  ["workbench/licenses.md", "Licenses"],
] as const;

interface FooterProps {
  /** Removes the API key in use; undefined without one. */
  readonly onForgetKey: (() => void) | undefined;
}

/** Links, the credit for the data, and the version and data sources of the service. */
export function Footer({ onForgetKey }: FooterProps) {
  const about = useAbout();
  return (
    <footer class="footer meta">
      <div class="footer-row row">
        <p class="credit">
          <a href="https://db-ip.com">IP Geolocation by DB-IP</a>
        </p>
        <ul class="links row">
          {LINKS.map(([href, title]) => (
            <li key={href}>
              <a href={href}>{title}</a>
            </li>
          ))}
        </ul>
        {onForgetKey !== undefined && (
          <button type="button" class="quiet" onClick={onForgetKey}>
            Forget the API key
          </button>
        )}
        {about !== undefined && <p class="version last">Version {about.version}</p>}
      </div>
      {about !== undefined && <SourceList sources={about.sources} />}
    </footer>
  );
}

/** The data sources with publisher, license, version and build date. */
function SourceList({ sources }: { readonly sources: Sources }) {
  return (
    <details class="sources">
      <summary>Data in use: {sources.length} sources</summary>
      <ul class="stack tight">
        {sources.map(({ name, publisher, url, license, version, buildTime = "", ageDays: days }) => {
          const date = buildTime.slice(0, 10);
          const age = days === undefined ? "" : days === 1 ? "1 day old" : `${days} days old`;
          const facts = [publisher, license, version, date, age].filter((fact) => fact !== "");
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

/** Rejects `javascript:` URLs: the URL comes from a data file. */
function isWebUrl(url: string): boolean {
  return /^https?:\/\//.test(url);
}
