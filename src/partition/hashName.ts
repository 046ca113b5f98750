/**
 * A name as 32 bits. Two names may have one hash: who looks a name up by it may find more records than it means, and never fewer.
 */
export const hashName = (name: string, before = 0x811c9dc5): number => {
  let hash = before
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return hash >>> 0
}
