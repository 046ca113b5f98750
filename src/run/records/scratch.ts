let spare: Buffer | undefined

/** Lends a buffer of at least the given size for the duration of `use`, because allocating one costs more than the work with it. */
export const withScratch = <A>(bytes: number, use: (buffer: Buffer) => A): A => {
  const buffer = spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafe(bytes)
  // A nested call gets another buffer.
  spare = undefined
  const result = use(buffer)
  spare = buffer
  return result
}
