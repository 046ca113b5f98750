import type { ElementRef, SourceLocation } from "../Wire.ts"
import type { Selection } from "./Selection.ts"

/** What a pane may ask of the page around it. */
export interface Bus {
  readonly select: (selection: Selection | undefined) => void
  readonly showField: (path: string) => void
  readonly showPlace: (place: SourceLocation) => void
  readonly showElement: (element: ElementRef) => void
  readonly showRecord: (record: number) => void
}
