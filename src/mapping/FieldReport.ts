import type { Diagnostic } from "../diagnostic/Diagnostic.ts"

/** Tells a problem of the field that is being filled; the field and the record are known to whoever is told. */
export type FieldReport = (
  diagnostic: Pick<Diagnostic, "code" | "severity" | "title"> & Partial<Diagnostic>
) => undefined

/** A value as it is drawn for a person who asks for values, and for nobody else. */
export const shown = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 199)}…`)
