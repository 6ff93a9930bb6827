import { NodeError } from '../../../base/primitives/errors.ts'

/** Bytes from a peer that break the RLPx or p2p protocol. Everything that follows them on the connection is void. */
export type RlpxErrorCode = 'INVALID_HANDSHAKE' | 'INVALID_FRAME' | 'INVALID_SNAPPY' | 'INVALID_P2P_MESSAGE'

export type RlpxError = NodeError<{ code: RlpxErrorCode }>

export function invalidHandshake(reason: string, cause?: unknown): RlpxError {
  return refusal('INVALID_HANDSHAKE', `RLPx handshake: ${reason}`, cause)
}

export function invalidFrame(reason: string): RlpxError {
  return refusal('INVALID_FRAME', `RLPx frame: ${reason}`)
}

export function invalidSnappy(reason: string): RlpxError {
  return refusal('INVALID_SNAPPY', `snappy: ${reason}`)
}

export function invalidMessage(reason: string, cause?: unknown): RlpxError {
  return refusal('INVALID_P2P_MESSAGE', `p2p message: ${reason}`, cause)
}

function refusal(code: RlpxErrorCode, message: string, cause?: unknown): RlpxError {
  return new NodeError({ code }, message, cause === undefined ? undefined : { cause })
}
