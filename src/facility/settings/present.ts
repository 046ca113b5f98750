type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** Returns settings without those that are absent. */
export const present = <A extends object>(settings: A): Present<A> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Present<A>
