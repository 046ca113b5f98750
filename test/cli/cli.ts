import { commandLine } from "../../src/cli/Cli.ts"

/** The command line with every command, as for completions. */
export const cli = await commandLine(["--completions"])
