import { commandLine } from "../../src/cli/Cli.ts"

/** The command line with every command. */
// Completions load every command.
export const cli = await commandLine(["--completions"])
