/** How tokens are held (§5). */
export interface AuthSettings {
  /** A token is renewed when this part of its life is left: a part of 1. */
  readonly refreshMargin: number
}

export const defaultAuth: AuthSettings = { refreshMargin: 0.1 }
