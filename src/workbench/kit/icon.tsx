/** The strokes of icons, in a grid of 24 units. The icon of a tool has the id of its panel. */
const STROKES = {
  api: "m8.5 7-5 5 5 5M15.5 7l5 5-5 5",
  barcode: "M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM14 14h2.5v2.5M20 14v2.5M14 20h2M19.5 20h.5",
  clear: "m6 6 12 12M18 6 6 18",
  copy: "M9 8h10.5v12H9zM5 16H4.5V4H15v1",
  countries:
    "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM3 12h18M12 3c2.6 2.7 3.8 5.7 3.8 9s-1.2 6.3-3.8 9c-2.6-2.7-3.8-5.7-3.8-9S9.4 5.7 12 3z",
  email:
    "M5.5 5h13A2.5 2.5 0 0 1 21 7.5v9a2.5 2.5 0 0 1-2.5 2.5h-13A2.5 2.5 0 0 1 3 16.5v-9A2.5 2.5 0 0 1 5.5 5zM3.5 7.5l8.5 6 8.5-6",
  geoip:
    "M12 21.5s7-6.2 7-11.5a7 7 0 1 0-14 0c0 5.3 7 11.5 7 11.5zM14.6 10a2.6 2.6 0 1 1-5.2 0 2.6 2.6 0 0 1 5.2 0z",
  otp: "M12.5 15.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM11.3 12.2l8.2-8.2M16 7.5l3 3M13.5 10l2 2",
  /** For a tool without an icon of its own. */
  other:
    "M20.5 7.2a4.8 4.8 0 0 1-6.3 5.6l-6.4 6.4a2.1 2.1 0 0 1-3-3l6.4-6.4a4.8 4.8 0 0 1 5.6-6.3l-2.9 2.9.9 2.8 2.8.9z",
  search: "M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM15.5 15.5l5 5",
} as const;

/** Whether there is an icon of a name. */
function isIcon(name: string): name is keyof typeof STROKES {
  return Object.hasOwn(STROKES, name);
}

/** The icon of a tool or an action, hidden from screen readers. */
export function Icon({ name }: { readonly name: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={STROKES[isIcon(name) ? name : "other"]} />
    </svg>
  );
}
