let spare: Buffer | undefined

/** Larger buffers are not kept. */
const keptBytes = 4 * 1024 * 1024

/**
 * Lends a buffer of at least the given size for the duration of `use`, because allocating one costs more than the work with it. The buffer
 * that `use` returns as `larger` is lent the next time.
 */
export const withScratch = <A>(
  bytes: number,
  use: (buffer: Buffer) => { readonly result: A; readonly larger?: Buffer }
): A => {
  const buffer = spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafe(bytes)
  // A nested call gets another buffer.
  spare = undefined
  const { larger = buffer, result } = use(buffer)
  if (larger.length <= keptBytes) spare = larger
  return result
}
