/** A contract that a new dev chain may have in its genesis. */
export interface Predeploy {
  /** As in `--predeploys`. */
  readonly name: string
  /** 20 bytes in lower-case hex */
  readonly address: string
  readonly summary: string
  readonly source: string
  readonly licence: string
}
