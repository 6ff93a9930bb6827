/** Which form of struct logs: that of Besu, or that of go-ethereum. */
export type StructLogProfile = 'besu' | 'geth'

/** As clients give them. `disableMemory` is read by the profile `besu` alone, `enable…` and `limit` by `geth` alone. */
export interface StructLogOptions {
  readonly disableStack?: boolean
  readonly disableStorage?: boolean
  readonly disableMemory?: boolean
  readonly enableMemory?: boolean
  readonly enableReturnData?: boolean
  /** Entries are left out as soon as those before are longer than so many bytes; 0: never. */
  readonly limit?: number
}
