import type { FhirPath, PathEngine, PathFunction } from "../../fhirpath/FhirPath.ts"
import { makeFhirPath } from "../../fhirpath/FhirPath.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import type { FunctionContext } from "../functions/functions.ts"
import type { StatementsPlan } from "../language/Statements.ts"

/**
 * Where the functions of a mapping are evaluated. They are made before the engine, which is given all of them, and before any visit is
 * mapped; they ask here for both.
 */
export class Evaluation implements FunctionContext {
  readonly statements: StatementsPlan | undefined
  #fhirPath: FhirPath | undefined
  #visit: EvaluationScope | undefined

  constructor(statements: StatementsPlan | undefined) {
    this.statements = statements
  }

  /** Makes the engine, once every function is known. */
  begin(functions: ReadonlyMap<string, PathFunction>, by: PathEngine | undefined): FhirPath {
    return this.#fhirPath = makeFhirPath(functions, { by })
  }

  /** Goes on with another visit. */
  readonly enter = (visit: EvaluationScope): void => {
    this.#visit = visit
  }

  readonly fhirPath = (): FhirPath => {
    if (this.#fhirPath === undefined) throw new Error("the functions of the mapping are not known yet")
    return this.#fhirPath
  }

  readonly scope = (): EvaluationScope => {
    if (this.#visit === undefined) throw new Error("no visit is being mapped")
    return this.#visit
  }
}
