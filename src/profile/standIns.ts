import { quoted } from "./OverlayWriter.ts"

/** A value that the data does not have, and that is told wherever it is sent. */
export const toldDefault = (value: string, words: string): string => `{value: ${value}, warn: ${quoted(words)}}`

/** A path whose value stands in for another, and is told wherever it is sent. */
export const toldPath = (path: string, words: string): string => `{path: ${quoted(path)}, warn: ${quoted(words)}}`

/** What is told of a code of the gazetteer that nobody wrote down. */
export const noPlace = (level: string): string => `a stand-in is sent for the code of the ${level}: nobody lives there`

/** What is told where the service's own id of a patient is not known. */
export const noSpid = "the patient code stands in for the service's own patient id"

/** What is told of an end that nobody wrote down. */
export const noEnd = "the beginning stands in for an end that is not in the data"
