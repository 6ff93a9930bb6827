import { WebSocket } from 'ws'
import { MAX_REMOTE_ANSWER_BYTES } from '../../../src/base/limits/limits.ts'
import type { ClientSocket, OpenSocket } from '../../shared/webSocketTransport.ts'

/** Unlike the WebSocket of web standards, it sends headers and limits messages; Node 20 has no other. */
export const openRemoteSocket: OpenSocket = (url, headers) =>
  new WebSocket(url, { headers: { ...headers }, maxPayload: MAX_REMOTE_ANSWER_BYTES }) as unknown as ClientSocket
