import { createCipheriv, createDecipheriv } from "node:crypto"

const cipher = "aes-256-gcm"
export const nonceBytes = 12
const tagBytes = 16
const headBytes = nonceBytes + tagBytes

/** Encrypts with AES-256-GCM: the nonce, an authentication tag, and the text. */
export const seal = (key: Uint8Array, nonce: Uint8Array, text: Uint8Array): Buffer => {
  const sealing = createCipheriv(cipher, key, nonce)
  const sealed = Buffer.concat([sealing.update(text), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed])
}

/** Returns the text. Throws if it is not intact, or was encrypted with another key. */
export const unseal = (key: Uint8Array, bytes: Uint8Array): Buffer => {
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  opening.setAuthTag(bytes.subarray(nonceBytes, headBytes))
  return Buffer.concat([opening.update(bytes.subarray(headBytes)), opening.final()])
}
