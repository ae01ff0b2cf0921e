// The DOM types that the types of lean-qr name. Nothing here has a DOM, so there are no such values.
type Document = never;
type SVGElement = never;
