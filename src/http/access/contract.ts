import type { Principal } from '../../rpc/connection/principal.ts'
import type { Login } from './login.ts'

/** Identifies the caller by the `Authorization` header. A caller without a valid token is anonymous, not an error. */
export type Authenticate = (authorization: string | undefined) => Principal | Promise<Principal>

/** Access control of one endpoint: JSON-RPC over HTTP, over WebSocket, or GraphQL. */
export interface EndpointAccess {
  readonly authenticate: Authenticate
  /** Whether a request without a token is refused before its body is read: every method needs one. */
  readonly tokenRequired: boolean
  /** undefined without users: tokens come from elsewhere. */
  readonly login?: Login
}
