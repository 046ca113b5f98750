import type { FhirPath, PathEngine, PathFunction } from "../../fhirpath/FhirPath.ts"
import { makeFhirPath } from "../../fhirpath/FhirPath.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import type { FunctionContext } from "./functions.ts"

/** The engine of a mapping. Functions are created before the engine that they call, so they get it from this object. */
export class Engine implements FunctionContext {
  readonly statements: StatementsPlan | undefined
  #fhirPath: FhirPath<EvaluationScope> | undefined

  constructor(statements: StatementsPlan | undefined) {
    this.statements = statements
  }

  /** Creates the engine after every function is known. */
  begin(
    functions: ReadonlyMap<string, PathFunction<EvaluationScope>>,
    by: PathEngine | undefined
  ): FhirPath<EvaluationScope> {
    return this.#fhirPath = makeFhirPath(functions, by)
  }

  readonly fhirPath = (): FhirPath<EvaluationScope> => {
    if (this.#fhirPath === undefined) throw new Error("the functions of the mapping are not known yet")
    return this.#fhirPath
  }
}
