import type { RateLimit } from '../rpc/connection/rateLimit.ts'
import type { ConnectionPeer } from '../rpc/requestContext.ts'

/** Stands for all clients of a host that does not name them. */
export const UNKNOWN_CLIENT = 'unknown'

/** The connection of a request, on hosts that know it; passed to `app.fetch` with the request. */
export interface RequestConnection extends ConnectionPeer {
  readonly rate: RateLimit | undefined
}
