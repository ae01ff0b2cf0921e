/** The mark and the name, which lead to the first panel. */
export function Brand() {
  return (
    <a class="brand" href="#/">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <rect width="32" height="32" rx="8" class="brand-ground" />
        <path d="M9 8v9a7 7 0 0 0 14 0V8" class="brand-line" />
        <circle cx="16" cy="10" r="2.25" class="brand-dot" />
      </svg>
      Utility Tools
    </a>
  );
}
