let spare: Buffer | undefined

/** Larger ones are not kept. */
const keptBytes = 4 * 1024 * 1024

/**
 * Lends a buffer of at least so many bytes, for as long as `use` takes: making one anew each time costs more than what is done with it. What
 * `use` gives back as `larger` is lent the next time.
 */
export const withScratch = <A>(
  bytes: number,
  use: (buffer: Buffer) => { readonly result: A; readonly larger?: Buffer }
): A => {
  const buffer = spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafe(bytes)
  // Whoever asks meanwhile gets another.
  spare = undefined
  const { larger = buffer, result } = use(buffer)
  if (larger.length <= keptBytes) spare = larger
  return result
}
