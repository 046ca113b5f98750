/** A cell that does not fit the type of its column, with the reason. It never holds the cell's text. */
export class CellError {
  readonly reason: string
  /** The original value is lost, so the row cannot be used. */
  readonly isDamage: boolean
  /** How to fix the damage. */
  readonly help: ReadonlyArray<string>
  /** The cause of the damage, after the name of the cell. */
  readonly damage: string

  constructor(reason: string, damageHelp?: ReadonlyArray<string>, damage = "was changed by a spreadsheet") {
    this.reason = reason
    this.isDamage = damageHelp !== undefined
    this.help = damageHelp ?? []
    this.damage = damage
  }
}
