import { Cause, Data, Exit } from "effect"
import { CliError } from "effect/cli"

/** The exit codes of the program. */
export const exitCodes = {
  /** Success. */
  done: 0,
  /** Some visits were rejected or refused; the rest is done. */
  someNotDone: 1,
  /** The command line, a configuration or a mapping is wrong: nothing was sent. */
  wrong: 2,
  /** Temporary failure: network, credentials, disk. Run the same command again. */
  stopped: 3,
  /** SIGHUP: the terminal was closed. The same promise as for SIGINT. */
  hungUp: 129,
  /** SIGINT: what was in flight is finished, the journal is consistent. */
  interrupted: 130,
  /** SIGTERM, with the same promise. */
  terminated: 143
} as const

/** The command has ended and has printed the reason; only the exit code is left. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: number }> {}

/** Ends a command whose work is done with some visits rejected or refused. */
export const someNotDone = new Ended({ code: exitCodes.someNotDone })

/** A signal other than SIGINT that ends the program cleanly. */
export type Ending = "SIGTERM" | "SIGHUP"

/** Returns the exit code for the end of the program, or for the signal that ended it. A defect is never success. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>, signal?: Ending): number => {
  if (Exit.isSuccess(exit)) return exitCodes.done
  if (Cause.hasInterruptsOnly(exit.cause)) {
    return signal === undefined ? exitCodes.interrupted : signal === "SIGHUP" ? exitCodes.hungUp : exitCodes.terminated
  }
  const error = Cause.squash(exit.cause)
  if (error instanceof Ended) return error.code
  return CliError.isCliError(error) ? exitCodes.wrong : exitCodes.stopped
}
