import type { RateLimit } from '../rpc/connection/rateLimit.ts'

/** The connection of a request, on hosts that know it; passed to `app.fetch` with the request. */
export interface RequestConnection {
  /** Network address of the client. */
  readonly client: string
  readonly rate: RateLimit | undefined
}
