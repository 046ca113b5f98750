/** A line under `--format json`. Lines of every kind begin with the same keys; facts of their own follow. */
interface JsonLine {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly level: "error" | "warning" | "info" | "debug"
  /** The code of a problem, or of what else the line is about: `failure`, `waiting`, `run-ended`. */
  readonly code: string
  readonly message: string
  /** The line under `--format line`. */
  readonly text: string
  readonly facts?: Readonly<Record<string, unknown>>
}

export const jsonLine = ({ facts, time, ...line }: JsonLine): string =>
  JSON.stringify({ time: new Date(time).toISOString(), ...line, ...facts })
