/** Returns the names of the members of an object whose type declares all that it has. */
export const memberNames = <A extends object>(object: A): ReadonlyArray<keyof A & string> =>
  // `Object.keys` returns the names of the members, but its type does not know the type of the object.
  Object.keys(object) as Array<keyof A & string>

/** Returns an object with a member for each name. */
export const objectWith = <K extends string, A>(
  names: ReadonlyArray<K>,
  make: (name: K) => A
): Readonly<Record<K, A>> =>
  // Each name is a key, but the type of `Object.fromEntries` does not know the names.
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, A>

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** Returns an object without its members that are `undefined`. */
export const withoutAbsent = <A extends object>(members: A): Present<A> =>
  // The filter removes exactly what the type excludes, which `Object.fromEntries` cannot express.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<A>
