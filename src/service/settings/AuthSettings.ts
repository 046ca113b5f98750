/** How tokens are held (§5). */
export interface AuthSettings {
  /** A token is renewed when this fraction of its lifetime is left, from 0 to 1. */
  readonly refreshMargin: number
}

export const defaultAuth: AuthSettings = { refreshMargin: 0.1 }
