import type { RemoteTransport } from '../../src/base/ports/remoteTransport.ts'
import { HttpTransport } from './httpTransport.ts'
import { type ClientSocket, type OpenSocket, WebSocketTransport } from './webSocketTransport.ts'

export interface RemoteTransportOptions {
  /** Sent with each request, or with the handshake of a WebSocket; their values are kept secret. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the WebSocket of web standards, which cannot send headers. */
  readonly openSocket?: OpenSocket
}

/**
 * @param url `http:`, `https:`, `ws:` or `wss:`
 * @throws {NodeError} INVALID_OPTION for another scheme; the message does not repeat the URL
 */
export function openRemoteTransport(url: string, options: RemoteTransportOptions = {}): RemoteTransport {
  const { headers = {}, openSocket = openWebSocket } = options
  return /^wss?:/i.test(url) ? new WebSocketTransport(url, openSocket, headers) : new HttpTransport(url, { headers })
}

function openWebSocket(url: string): ClientSocket {
  return new WebSocket(url) as ClientSocket
}
