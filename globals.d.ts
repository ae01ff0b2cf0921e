/** The Fetch API's header initialiser, which the types of connect name and those of Node 20 lack. */
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;

// The DOM types that the types of lean-qr name. Nothing here has a DOM, so there are no such values.
type Document = never;
type SVGElement = never;
