/** The value, which a test needs. Fails the test if it is missing. */
export const present = <A>(value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error("a value that the test needs is missing")
  return value
}

/** The only element of a list. Fails the test if there are none or several. */
export const only = <A>(list: Iterable<A>): A => {
  const [first, ...others] = list
  if (others.length > 0) throw new Error(`one element expected, found ${others.length + 1}`)
  return present(first)
}
