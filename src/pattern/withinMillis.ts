import type { Context, Script } from "node:vm"

/** Runs a function of the context's only variable. Its engine can be interrupted, even within a match of a regular expression. */
interface Interruptible {
  readonly variables: { work: (() => unknown) | undefined }
  readonly context: Context
  readonly script: Script
}

let made: Interruptible | undefined

/** Made when it is first needed: hardly any run needs it. */
const interruptible = (): Interruptible => {
  const { Script, createContext } = process.getBuiltinModule("node:vm")
  const variables: Interruptible["variables"] = { work: undefined }
  return { variables, context: createContext(variables), script: new Script("work()") }
}

/** Returns the result of synchronous work without effects, or `undefined` if it was interrupted because it took longer. */
export const withinMillis = <A>(timeout: number, work: () => A): { readonly value: A } | undefined => {
  const { context, script, variables } = made ??= interruptible()
  let done: { readonly value: A } | undefined
  variables.work = () => {
    done = { value: work() }
  }
  try {
    script.runInContext(context, { timeout: Math.ceil(timeout) })
  } catch (cause) {
    if (!isTimeout(cause)) throw cause
  } finally {
    // The work holds texts of records.
    variables.work = undefined
  }
  return done
}

/** The error is of the other context, so it is no `Error` of this one. */
const isTimeout = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
