let spare: Buffer | undefined

/** Lends a reused buffer of at least the given size for the duration of `use`. Allocating one would take longer than `use`. */
export const withScratch = <A>(bytes: number, use: (buffer: Buffer) => A): A => {
  const buffer = spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafe(bytes)
  // A nested call gets another buffer.
  spare = undefined
  const result = use(buffer)
  spare = buffer
  return result
}
