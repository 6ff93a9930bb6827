/** Whether the caller may call the method. */
export type MethodPermission = (method: string) => boolean

/** Verified claims of a caller's token. */
export interface Claims {
  readonly username?: string
  /** Identifies the tenant of a node with private transactions. */
  readonly privacyPublicKey?: string
  /** Also identifies the tenant; precedes `privacyPublicKey`. */
  readonly privacyUserId?: string
}

/** The caller on an endpoint with authentication. */
export interface Principal {
  readonly permits: MethodPermission
  /** undefined for a caller without a valid token */
  readonly claims: Claims | undefined
  /** Wall clock, milliseconds since 1970, at which the token ends; undefined without one. */
  readonly expiresMs?: number
}
