import { MAX_DISCOVERY_CHALLENGES, MAX_DISCOVERY_SESSIONS } from '../../../../base/limits/limits.ts'
import type { Random } from '../../../../base/ports/random.ts'
import type { Signer } from '../../../../base/ports/signer.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import { concatBytes, EMPTY_BYTES, writeUint } from '../../../../base/primitives/bytes.ts'
import { LruCache } from '../../../../base/primitives/lruCache.ts'
import { type NodeRecord, nodeHash, tryDecodeRecord } from '../nodeRecord.ts'
import { nodeKey } from '../table.ts'
import { ephemeralPublicKey, initiatorKeys, isIdentityProven, proveIdentity, recipientKeys } from './handshake.ts'
import {
  type HeaderV5,
  ID_NONCE_BYTES,
  maskHeader,
  NONCE_BYTES,
  openMessage,
  type PacketV5,
  sealMessage,
} from './packet.ts'
import { CHALLENGE_MS } from './rules.ts'

const IV_BYTES = 16
const COUNTER_BYTES = 4
/** A message that cannot be decrypted; it asks for a handshake. */
const RANDOM_MESSAGE_BYTES = 32

interface Session {
  readonly writeKey: Uint8Array
  readonly readKey: Uint8Array
  readonly record: NodeRecord
  /** Messages sent; part of their nonces. */
  sent: number
}

interface Challenge {
  readonly packet: Uint8Array
  readonly data: Uint8Array
  /** Known to this node when it sent the challenge. */
  readonly record: NodeRecord | undefined
  readonly atMs: number
}

export interface SealedPacket {
  readonly bytes: Uint8Array
  readonly nonce: Uint8Array
}

/** A decrypted message and the record of its sender. */
export interface OpenedMessage {
  readonly plain: Uint8Array
  readonly record: NodeRecord
}

/** Sessions belong to a node at one address, so a forged address never has one. */
const sessionKey = (id: Uint8Array, { host, port }: SocketAddress): string => `${nodeKey(id)} ${host} ${port}`

/** Keys shared with other nodes, and handshakes. Node ids are the hashes of public keys. */
export class Sessions {
  readonly #signer: Signer
  readonly #random: Random
  readonly #self: Uint8Array
  readonly #record: () => NodeRecord
  readonly #sessions = new LruCache<string, Session>(MAX_DISCOVERY_SESSIONS)
  readonly #challenges = new LruCache<string, Challenge>(MAX_DISCOVERY_CHALLENGES)

  constructor(signer: Signer, random: Random, record: () => NodeRecord) {
    this.#signer = signer
    this.#random = random
    this.#record = record
    this.#self = nodeHash(signer.publicKey)
  }

  has(id: Uint8Array, address: SocketAddress): boolean {
    return this.#sessions.get(sessionKey(id, address)) !== undefined
  }

  /** Encrypts a message, or asks for a handshake when there is no session. */
  seal(id: Uint8Array, address: SocketAddress, plain: Uint8Array): SealedPacket {
    const session = this.#sessions.get(sessionKey(id, address))
    const nonce = this.#random.bytes(NONCE_BYTES)
    if (session !== undefined) writeUint(nonce, 0, session.sent++, COUNTER_BYTES)
    const header = { kind: 'message', nonce, source: this.#self } as const
    const { start, authenticated } = maskHeader(id, this.#random.bytes(IV_BYTES), header)
    const message =
      session === undefined
        ? this.#random.bytes(RANDOM_MESSAGE_BYTES)
        : sealMessage(session.writeKey, nonce, plain, authenticated)
    return { bytes: concatBytes(start, message), nonce }
  }

  /** @returns undefined when there is no session or it does not decrypt the message */
  open(id: Uint8Array, from: SocketAddress, { header, message, authenticated }: PacketV5): OpenedMessage | undefined {
    const session = this.#sessions.get(sessionKey(id, from))
    if (session === undefined) return undefined
    const plain = openMessage(session.readKey, header.nonce, message, authenticated)
    return plain && { plain, record: session.record }
  }

  /**
   * The WHOAREYOU packet for a message that cannot be decrypted. An unanswered challenge is repeated, since its answer may
   * be under way.
   * @param record of the sender, if known
   */
  challenge(
    id: Uint8Array,
    from: SocketAddress,
    nonce: Uint8Array,
    record: NodeRecord | undefined,
    nowMs: number,
  ): Uint8Array {
    const key = sessionKey(id, from)
    const pending = this.#challenges.get(key)
    if (pending !== undefined && nowMs - pending.atMs < CHALLENGE_MS) return pending.packet
    const header = {
      kind: 'whoAreYou',
      nonce,
      idNonce: this.#random.bytes(ID_NONCE_BYTES),
      enrSeq: record?.seq ?? 0n,
    } as const
    const { start, authenticated } = maskHeader(id, this.#random.bytes(IV_BYTES), header)
    this.#challenges.set(key, { packet: start, data: authenticated, record, atMs: nowMs })
    return start
  }

  /**
   * Answers a challenge with a message, and opens a session.
   * @returns undefined when the record of the node has an invalid key
   */
  answer(to: NodeRecord, address: SocketAddress, challenge: PacketV5, plain: Uint8Array): SealedPacket | undefined {
    const id = nodeHash(to.publicKey)
    const privateKey = this.#random.bytes(32)
    const keys = initiatorKeys(privateKey, to.publicKey, challenge.authenticated, this.#self, id)
    if (keys === undefined || challenge.header.kind !== 'whoAreYou') return undefined
    const ephemeralKey = ephemeralPublicKey(privateKey)
    const record = this.#record()
    const nonce = this.#random.bytes(NONCE_BYTES)
    const header: HeaderV5 = {
      kind: 'handshake',
      nonce,
      source: this.#self,
      signature: proveIdentity(this.#signer, challenge.authenticated, ephemeralKey, id),
      ephemeralKey,
      record: challenge.header.enrSeq < record.seq ? record.bytes : EMPTY_BYTES,
    }
    const { start, authenticated } = maskHeader(id, this.#random.bytes(IV_BYTES), header)
    const session = { writeKey: keys.initiator, readKey: keys.recipient, record: to, sent: 1 }
    this.#sessions.set(sessionKey(id, address), session)
    return { bytes: concatBytes(start, sealMessage(keys.initiator, nonce, plain, authenticated)), nonce }
  }

  /** Whether a handshake with this node is awaited. */
  isChallenged(id: Uint8Array, from: SocketAddress, nowMs: number): boolean {
    const challenge = this.#challenges.get(sessionKey(id, from))
    return challenge !== undefined && nowMs - challenge.atMs < CHALLENGE_MS
  }

  /**
   * Completes a handshake that this node asked for. The challenge is void afterwards, whatever the result.
   * @returns undefined when it is not valid
   */
  complete(
    from: SocketAddress,
    { header, message, authenticated }: PacketV5,
    nowMs: number,
  ): OpenedMessage | undefined {
    if (header.kind !== 'handshake') return undefined
    const { source, signature, ephemeralKey, nonce } = header
    const key = sessionKey(source, from)
    const challenge = this.#challenges.get(key)
    if (challenge === undefined || nowMs - challenge.atMs >= CHALLENGE_MS) return undefined
    this.#challenges.delete(key)
    const peerRecord = header.record.length === 0 ? undefined : tryDecodeRecord(header.record)
    const record = peerRecord ?? challenge.record
    if (record === undefined || nodeKey(nodeHash(record.publicKey)) !== nodeKey(source)) return undefined
    if (!isIdentityProven(signature, record.publicKey, challenge.data, ephemeralKey, this.#self)) return undefined
    for (const keys of recipientKeys(this.#signer, ephemeralKey, challenge.data, source, this.#self)) {
      const plain = openMessage(keys.initiator, nonce, message, authenticated)
      if (plain === undefined) continue
      this.#sessions.set(key, { writeKey: keys.recipient, readKey: keys.initiator, record, sent: 0 })
      return { plain, record }
    }
    return undefined
  }
}
