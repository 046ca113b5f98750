import { hash } from "node:crypto"

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/**
 * Generates a code for an item without a code in the source. It is a prefix and 13 characters (65 bits) of the SHA-256 of facility, kind
 * and source key. The same source gives the same code in every run, on every machine. No counter and no random number is used.
 */
export const generateCode = (prefix: string, facility: string, kind: string, sourceKey: string): string => {
  // As a text with one byte in each character, because Node makes a text faster than a buffer.
  const digest = hash("sha256", `${facility}\u0000${kind}\u0000${sourceKey}`, "binary")
  let text = ""
  let bits = 0
  let held = 0
  for (let index = 0; text.length < 13; index++) {
    bits = (bits << 8) | digest.charCodeAt(index)
    for (held += 8; held >= 5 && text.length < 13; held -= 5) text += crockford.charAt((bits >> (held - 5)) & 31)
    bits &= 31
  }
  return `${prefix}-${text}`
}
