import { Result } from "effect"
import { isWellFormed } from "../json/parseRecord.ts"
import { decodeVisit } from "../visit/decode.ts"
import type { Visit } from "../visit/Visit.ts"
import type { VisitText } from "./readVisits.ts"

/**
 * Decodes a visit to write it in another format: its form counts, and that its texts can be written. Nothing is about to be sent, so the
 * rules between fields do not count.
 */
export const visitIn = (item: VisitText): Visit | undefined => {
  const decoded = item._tag === "Unreadable" ? undefined : decodeVisit(item.text)
  return decoded !== undefined && Result.isSuccess(decoded) && isWellFormed(decoded.success)
    ? decoded.success
    : undefined
}
