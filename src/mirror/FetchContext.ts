import type { ExportLog } from "./ExportLog.ts"
import type { ServerSession } from "./ServerSession.ts"
import type { SourceSettings } from "./SourceSettings.ts"

/** Takes a message about a wait or a download. */
export type Progress = (line: string) => void

/** What every step of one export uses. */
export interface FetchContext {
  readonly session: ServerSession
  readonly settings: SourceSettings
  readonly log: ExportLog
  readonly progress: Progress
}
