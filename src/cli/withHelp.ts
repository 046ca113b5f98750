import { Command } from "effect/cli"

/** Adds what `--help` shows of a command: what it does, and examples, each with what it is for. */
export const withHelp = (
  description: string,
  ...examples: ReadonlyArray<readonly [command: string, description: string]>
) =>
<Name extends string, Input, Context, E, R>(command: Command.Command<Name, Input, Context, E, R>) =>
  command.pipe(
    Command.withDescription(description),
    Command.withExamples(examples.map(([command, description]) => ({ command, description })))
  )
