import type { FhirPath, PathEngine, PathFunction } from "../../fhirpath/FhirPath.ts"
import { makeFhirPath } from "../../fhirpath/FhirPath.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import type { FunctionContext } from "./functions.ts"

/**
 * The evaluation state of a mapping's functions. Functions are created before the engine and before any visit, so they read both from
 * this object.
 */
export class Evaluation implements FunctionContext {
  readonly statements: StatementsPlan | undefined
  #fhirPath: FhirPath | undefined
  #visit: EvaluationScope | undefined

  constructor(statements: StatementsPlan | undefined) {
    this.statements = statements
  }

  /** Creates the engine after every function is known. */
  begin(functions: ReadonlyMap<string, PathFunction>, by: PathEngine | undefined): FhirPath {
    return this.#fhirPath = makeFhirPath(functions, { by, zone: () => this.scope().zone })
  }

  /** Continues with another visit. */
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
