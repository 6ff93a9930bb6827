import { rlpDecode } from '../../../base/primitives/rlp.ts'

/**
 * Reasons of the Disconnect message.
 * @see devp2p, rlpx.md, "Disconnect (0x01)"
 */
export const DISCONNECT_CODES = {
  /** The operator, or a change of permissions, ends the connection. */
  requested: 0x00,
  tcpError: 0x01,
  /** A malformed, unsolicited or oversized message, or one before Hello or Status. */
  breachOfProtocol: 0x02,
  /** No shared capability, or answers without use. */
  uselessPeer: 0x03,
  tooManyPeers: 0x04,
  alreadyConnected: 0x05,
  incompatibleVersion: 0x06,
  nullIdentity: 0x07,
  /** The node stops. */
  quitting: 0x08,
  /** The id of the Hello is not the one of the handshake. */
  unexpectedIdentity: 0x09,
  /** The node has connected to itself. */
  localIdentity: 0x0a,
  /** No answer, or no traffic. */
  timeout: 0x0b,
  /** A capability does not fit: another network, genesis or fork. */
  subprotocol: 0x10,
} as const

/** `unknown`: the peer gives no reason, or one without a name. */
export type DisconnectReason = keyof typeof DISCONNECT_CODES | 'unknown'

const NAMES: ReadonlyMap<number, DisconnectReason> = new Map(
  Object.entries(DISCONNECT_CODES).map(([name, code]) => [code, name as DisconnectReason]),
)

/** Payload: a list of one byte. Zero is written as that byte, and no reason as an empty string. */
export function encodeDisconnect(reason: DisconnectReason): Uint8Array {
  return reason === 'unknown' ? Uint8Array.of(0xc1, 0x80) : Uint8Array.of(0xc1, DISCONNECT_CODES[reason])
}

/** Accepts anything, because the connection ends either way. Some clients send the bare byte, or nothing. */
export function decodeDisconnect(payload: Uint8Array): DisconnectReason {
  // A longer payload cannot hold a reason.
  if (payload.length === 0 || payload.length > 4) return 'unknown'
  try {
    const payloadItem = rlpDecode(payload)
    const item = payloadItem instanceof Uint8Array ? payloadItem : payloadItem[0]
    if (!(item instanceof Uint8Array) || item.length !== 1) return 'unknown'
    return NAMES.get(item[0] as number) ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
