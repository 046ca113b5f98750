import { keepCompiledCode } from "../../keepCompiledCode.ts"

// A thread has its own compile cache, on the files of the main thread's.
keepCompiledCode()
await import("./serveTasks.ts")
