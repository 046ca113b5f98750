/** A line under `--format json`. All lines begin with the same keys; further facts follow. */
interface JsonLine {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly level: "error" | "warning" | "info" | "debug"
  /** A problem code, or another topic: `failure`, `waiting`, `run-ended`. */
  readonly code: string
  readonly message: string
  /** The line under `--format line`. */
  readonly text: string
  readonly facts?: Readonly<Record<string, unknown>>
}

export const jsonLine = ({ facts, time, ...line }: JsonLine): string =>
  JSON.stringify({ time: new Date(time).toISOString(), ...line, ...facts })
