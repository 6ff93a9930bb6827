import { NodeError } from '../base/primitives/errors.ts'
import { hostPort } from '../base/primitives/hostPort.ts'

/** The HTTP server interface of every runtime; adapters implement it. */
export interface HttpServer {
  /** Address and port of the listener: the actual port when 0 was requested. */
  readonly host: string
  readonly port: number
  /** Number of open connections; undefined: not counted. */
  readonly connectionCount?: number | undefined
  /** Whether it serves over TLS. */
  readonly isSecure?: boolean
  /** Stops accepting connections, lets requests in progress finish within a time limit, then closes the rest. */
  close(): Promise<void>
}

export interface HttpServerOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

/** A one-line error for a server that cannot start. */
export function listenError(cause: unknown, isInUse: boolean, host: string, port: number): NodeError {
  if (isInUse)
    return new NodeError({ code: 'PORT_IN_USE' }, `port ${port} on ${host} is in use by another process`, { cause })
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new NodeError({ code: 'LISTEN_FAILED' }, `cannot listen on ${hostPort({ host, port })}: ${reason}`, { cause })
}
