import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { ConfigProvider, Console, Effect, Exit, Layer, Sink, Stdio, Stream, Terminal } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"
import { formatIn } from "../../src/cli/flags.ts"
import { exitCodeOf } from "../../src/cli/process/exitCode.ts"
import { presenter } from "../../src/cli/screen/presenter.ts"

/** What a person saw after typing a command. */
export interface Seen {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface TypedOptions {
  readonly env?: Record<string, string>
  readonly stdin?: string
  /** Results and errors are written to a terminal. */
  readonly terminal?: boolean
}

/** Runs a command of the command line inside the test, with real files and the words it writes. */
export const runCommand = <Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>,
  args: ReadonlyArray<string>,
  { env = {}, stdin = "", terminal: isTerminal = false }: TypedOptions = {}
) =>
  Effect.gen(function*() {
    const out: Array<string> = []
    const err: Array<string> = []
    const decoder = new TextDecoder()
    const collect = (into: Array<string>) =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => void into.push(typeof chunk === "string" ? chunk : decoder.decode(chunk)))
      )
    const stdio = Stdio.make({
      args: Effect.succeed(args),
      stdinIsTerminal: Effect.succeed(false),
      stdoutIsTerminal: Effect.succeed(isTerminal),
      stderrIsTerminal: Effect.succeed(isTerminal),
      stdin: Stream.succeed(new TextEncoder().encode(stdin)),
      stdout: () => collect(out),
      stderr: () => collect(err)
    })
    const line = (into: Array<string>) => (...words: ReadonlyArray<unknown>) => void into.push(`${words.join(" ")}\n`)
    const terminal = Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: Effect.die("not asked"),
      readInput: Effect.die("not asked"),
      readLine: Effect.die("not asked"),
      display: () => Effect.void
    })
    const exit = yield* Effect.exit(
      Command.runWith(command, { version: "1.2.3" })(args).pipe(
        Effect.provide(Layer.mergeAll(
          NodeFileSystem.layer,
          NodePath.layer,
          Layer.succeed(Stdio.Stdio, stdio),
          Layer.succeed(Terminal.Terminal, terminal),
          Layer.succeed(
            ChildProcessSpawner.ChildProcessSpawner,
            ChildProcessSpawner.make(() => Effect.die("not asked"))
          ),
          Layer.succeed(Console.Console, { ...console, log: line(out), error: line(err) }),
          ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)),
          CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.LogLevel] }),
          CliOutput.layerPresenter(presenter({ stdout: false, stderr: false }, formatIn(args), 80, args))
        ))
      )
    )
    if (Exit.isFailure(exit) && exitCodeOf(exit) === 3) err.push("")
    return { code: exitCodeOf(exit), stdout: out.join(""), stderr: err.join("") } satisfies Seen
  })
