/** A cell that does not fit the type of its column, and why. It never holds the cell's text. */
export class CellFault {
  readonly reason: string
  /** A spreadsheet has changed the cell: what it held is lost, and the row cannot be used. */
  readonly isDamage: boolean
  /** What to do about damage. */
  readonly help: ReadonlyArray<string>

  constructor(reason: string, damageHelp?: ReadonlyArray<string>) {
    this.reason = reason
    this.isDamage = damageHelp !== undefined
    this.help = damageHelp ?? []
  }
}
