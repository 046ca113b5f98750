import type { ElementRef, SourceLocation } from "../Wire.ts"
import type { Selection } from "./Selection.ts"

/** The requests that a pane can make of the page. */
export interface Bus {
  readonly select: (selection: Selection | undefined) => void
  readonly showField: (path: string) => void
  readonly showPlace: (place: SourceLocation) => void
  readonly showElement: (element: ElementRef) => void
  readonly showRecord: (record: number) => void
}
