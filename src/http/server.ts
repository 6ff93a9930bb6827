import { NodeError } from '../primitives/errors.ts'

/** What every runtime's HTTP server offers; adapters implement it. */
export interface HttpServer {
  /** Address and port that it listens on: the real port when 0 was asked for. */
  readonly host: string
  readonly port: number
  /** Takes no new connections, lets requests in progress finish for a while, then closes what is left. */
  close(): Promise<void>
}

export interface HttpServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
}

/** One clear line for a server that cannot start. */
export function listenError(cause: unknown, isInUse: boolean, host: string, port: number): NodeError {
  if (isInUse)
    return new NodeError({ code: 'PORT_IN_USE' }, `port ${port} on ${host} is in use by another process`, { cause })
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new NodeError({ code: 'LISTEN_FAILED' }, `cannot listen on ${host}:${port}: ${reason}`, { cause })
}
