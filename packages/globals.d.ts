/** The Fetch API's header initialiser, which the types of connect name and those of Node 20 lack. */
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
