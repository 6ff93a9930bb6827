import type { Principal } from '../../rpc/connection/principal.ts'

/** Identifies the caller by the `Authorization` header. A caller without a valid token is anonymous, not an error. */
export type Authenticate = (authorization: string | undefined) => Principal | Promise<Principal>

export interface LoginReply {
  readonly status: 200 | 400 | 401 | 429
  /** JSON with status 200; otherwise empty. */
  readonly body: string
  /** Seconds until a further attempt, with status 429. */
  readonly retryAfter?: number
  /** Name of the user that was refused; not for the client. */
  readonly refusedUser?: string
}

/** Exchanges names and passwords for tokens. */
export interface LoginService {
  /**
   * @param body JSON with `username` and `password`
   * @param client network address of the client: failed attempts are limited for each
   */
  handle(body: string, client: string): Promise<LoginReply>
}

/** Access control of one endpoint: JSON-RPC over HTTP, over WebSocket, or GraphQL. */
export interface EndpointAccess {
  readonly authenticate: Authenticate
  /** Whether a request without a token is refused before its body is read: every method needs one. */
  readonly tokenRequired: boolean
  /** undefined without users: tokens come from elsewhere. */
  readonly login?: LoginService
  /** The public key of the tokens of the login: PEM, algorithm RS256. */
  readonly loginKey?: string
}
