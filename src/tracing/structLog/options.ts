/** The format of struct logs: Besu's or go-ethereum's. */
export type StructLogProfile = 'besu' | 'geth'

/** The part of the node's settings that tracers depend on. */
export interface TracerSettings {
  readonly profile: StructLogProfile
  /** 20 bytes: the target of privacy markers; absent without private transactions. */
  readonly markerTarget?: Uint8Array | undefined
  /** Whether tracers may be written in JavaScript. */
  readonly jsTracers?: boolean | undefined
}

/**
 * Options as sent by clients. `disableMemory` applies only to the profile `besu`, `enable…` and `limit` only to `geth`.
 */
export interface StructLogOptions {
  readonly disableStack?: boolean
  readonly disableStorage?: boolean
  readonly disableMemory?: boolean
  readonly enableMemory?: boolean
  readonly enableReturnData?: boolean
  /** Omits further entries once the previous ones exceed this number of bytes; 0 for no limit. */
  readonly limit?: number
}
