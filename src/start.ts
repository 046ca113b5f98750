import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Cause, Console, Effect, Exit, Layer, Option } from "effect"
import { CliConfig, CliOutput, Command, Completions, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"
import { commandLine } from "./cli/Cli.ts"
import { Pipeline } from "./cli/PipelineApi.ts"
import { exitCodeOf } from "./cli/process/exitCode.ts"
import { askedFormat, colours, endedBy, installExitHandlers, writeFinalError } from "./cli/process/processErrors.ts"
import { version } from "./cli/process/version.ts"
import { presenter } from "./cli/screen/presenter.ts"

installExitHandlers()

/** The command line requires it. Node's own takes a twentieth of the start to load, and no command starts a process. */
const noProcesses = Layer.succeed(
  ChildProcessSpawner.ChildProcessSpawner,
  ChildProcessSpawner.make(() => Effect.die(new Error("no command starts a process")))
)

/** `--completions`, with more for Bash. */
const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: Effect.fnUntraced(function*(shell, { command }) {
    if (Option.isNone(shell)) return
    const described = Completions.fromCommand(command)
    const script = Completions.generate(command.name, shell.value, described)
    const { bashCompletions } = yield* Effect.promise(() => import("./cli/completions.ts"))
    yield* Console.log(shell.value === "bash" ? bashCompletions(described, script) : script)
  })
})

Command.run(await commandLine(process.argv.slice(2)), { version }).pipe(
  Effect.provide(Layer.mergeAll(
    NodeFileSystem.layer,
    NodePath.layer,
    NodeStdio.layer,
    NodeTerminal.layer,
    noProcesses,
    Pipeline.layer,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions, GlobalFlag.LogLevel] }),
    CliOutput.layerPresenter(
      presenter(
        colours(),
        askedFormat(),
        process.stdout.columns ?? (Number(process.env["COLUMNS"]) || 100),
        process.argv.slice(2)
      )
    )
  )),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, end) => {
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) writeFinalError(Cause.squash(exit.cause))
      end(exitCodeOf(exit, endedBy()))
    }
  })
)
