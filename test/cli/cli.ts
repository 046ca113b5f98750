import { Effect } from "effect"
import { commandLine } from "../../src/cli/Cli.ts"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import { runCommand } from "./TestScreen.ts"

/** The command line with every command, as for completions. */
export const cli = await commandLine(["--completions"])

/** Types a command in an environment. */
export const typeIn = (env: Record<string, string>, words: ReadonlyArray<string>) =>
  Effect.provide(runCommand(cli, words, { env }), Pipeline.layer)

/** Types a command in an environment without variables. */
export const type = (...words: ReadonlyArray<string>) => typeIn({}, words)
