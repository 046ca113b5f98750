import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { commandLine } from "./cli/Cli.ts"
import { Pipeline } from "./cli/PipelineApi.ts"
import { exitCodeOf } from "./cli/process/exitCode.ts"
import { askedFormat, colours, endedBy, installExitHandlers, writeFinalError } from "./cli/process/processErrors.ts"
import { version } from "./cli/process/version.ts"
import { presenter } from "./cli/screen/presenter.ts"

installExitHandlers()

Command.run(await commandLine(process.argv.slice(2)), { version }).pipe(
  Effect.provide(Layer.mergeAll(
    NodeServices.layer,
    Pipeline.layer,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] }),
    CliOutput.layerPresenter(
      presenter(colours(), askedFormat(), process.stdout.columns ?? (Number(process.env["COLUMNS"]) || 100))
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
