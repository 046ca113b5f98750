import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Origin } from "../diagnostic/Origin.ts"
import type { ReadProblem } from "./read/ReadItem.ts"

/** A problem in an input, without its source location. */
export type InputProblem = Omit<Diagnostic, "origin">

/** Returns the source location of a line, from 1, if no record is known there. */
export const lineOrigin = (file: string, line: number): Origin => ({ file, line, reference: "" })

/** Returns a problem at a line of a file, from 1. */
export const problemAt = (
  file: string,
  line: number,
  problem: InputProblem,
  more: Omit<ReadProblem, "_tag" | "diagnostic"> = {}
): ReadProblem => ({ _tag: "Problem", diagnostic: { ...problem, origin: lineOrigin(file, line) }, ...more })
