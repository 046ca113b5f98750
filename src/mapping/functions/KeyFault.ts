import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"

/** Thrown by a function that needs a key whose path failed: what is made of the key is not known either. */
export class KeyFault extends Error {
  /** The problem of the key's path. */
  readonly problem: Diagnostic

  constructor(problem: Diagnostic) {
    super(problem.label)
    this.problem = problem
  }
}
