/** A cell that does not fit the type of its column, with the reason. It never holds the cell's text. */
export class CellError {
  readonly reason: string
  /** A spreadsheet changed the cell. The original value is lost, so the row cannot be used. */
  readonly isDamage: boolean
  /** How to fix the damage. */
  readonly help: ReadonlyArray<string>

  constructor(reason: string, damageHelp?: ReadonlyArray<string>) {
    this.reason = reason
    this.isDamage = damageHelp !== undefined
    this.help = damageHelp ?? []
  }
}
