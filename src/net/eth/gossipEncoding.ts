import { encodeEthMessage, type WireMessage } from '../protocols/eth/codec.ts'
import type { EthVersion, EthVersionNumber } from '../protocols/eth/versions.ts'
import type { EthGossip } from './contract.ts'

/** Encodings of messages that are sent to several peers. */
const encodings = new WeakMap<EthGossip, Map<EthVersionNumber, WireMessage>>()

/** Encodes a message once for all peers of a version. */
export function encodeGossip(version: EthVersion, message: EthGossip): WireMessage {
  let byVersion = encodings.get(message)
  if (byVersion === undefined) {
    byVersion = new Map()
    encodings.set(message, byVersion)
  }
  let encoded = byVersion.get(version.number)
  if (encoded === undefined) {
    encoded = encodeEthMessage(version, message)
    byVersion.set(version.number, encoded)
  }
  return encoded
}
