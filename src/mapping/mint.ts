import { createHash } from "node:crypto"

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/**
 * A code for something the source gives no code: a prefix and 13 characters (65 bits) of the SHA-256 of facility, kind and
 * source key. The same source gives the same code in every run, on every machine; nothing is counted or drawn.
 */
export const mint = (prefix: string, facility: string, kind: string, sourceKey: string): string => {
  const digest = createHash("sha256").update(`${facility}\u0000${kind}\u0000${sourceKey}`).digest()
  let bits = 0n
  for (let index = 0; index < 9; index++) bits = (bits << 8n) | BigInt(digest[index]!)
  bits >>= 7n
  let text = ""
  for (let index = 0; index < 13; index++) {
    text = crockford[Number(bits & 31n)]! + text
    bits >>= 5n
  }
  return `${prefix}-${text}`
}
