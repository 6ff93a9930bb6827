/**
 * Payloads between enclaves, in the binary form of Tessera's first interface version: the content in a box under a random
 * key, and that key in a box for each recipient.
 * @module
 */
import { sha512_256 } from '@noble/hashes/sha2.js'
import { MAX_ENCLAVE_RECIPIENTS } from '../../base/limits/limits.ts'
import type { Random } from '../../base/ports/random.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { concatBytes, EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { BOX_OVERHEAD, KEY_BYTES, NONCE_BYTES, openBox, sealBox } from './boxes.ts'
import { countOf, FieldReader, fieldOf, fieldsOf, malformed } from './fields.ts'
import type { KeyRing } from './keyRing.ts'
import { refusal } from './refusal.ts'

export interface EncryptedPayload {
  /** Public key, 32 bytes. */
  readonly sender: Uint8Array
  readonly cipherText: Uint8Array
  /** 24 bytes */
  readonly nonce: Uint8Array
  /** The key of the content for each recipient, 48 bytes, in the order of `recipients`. */
  readonly boxes: readonly Uint8Array[]
  /** 24 bytes, the same for all boxes; safe because every box has its own key. */
  readonly boxNonce: Uint8Array
  /** Public keys; the sender is one of them. Empty in messages of old versions, which have one box. */
  readonly recipients: readonly Uint8Array[]
  /** 32 bytes; undefined: the sender named no group. */
  readonly groupId: Uint8Array | undefined
}

/** The key that identifies a payload, 32 bytes: the digest of Tessera in Orion mode. */
export function payloadKey({ cipherText }: Pick<EncryptedPayload, 'cipherText'>): Uint8Array {
  return sha512_256(cipherText)
}

export interface Sending {
  readonly content: Uint8Array
  readonly sender: Uint8Array
  /** Without repetition; the sender is one of them. */
  readonly recipients: readonly Uint8Array[]
  readonly groupId?: Uint8Array
}

/**
 * @param ring has the key of the sender
 * @throws {NodeError} INVALID_ENCLAVE_KEY when a recipient's key is not valid
 */
export function encryptPayload(ring: KeyRing, random: Random, sending: Sending): EncryptedPayload {
  const { content, sender, recipients, groupId } = sending
  const [key, nonce, boxNonce] = [random.bytes(KEY_BYTES), random.bytes(NONCE_BYTES), random.bytes(NONCE_BYTES)]
  const senderName = toBase64(sender)
  const boxes = recipients.map((recipient) => sealBox(ring.sharedKey(senderName, recipient), boxNonce, key))
  return { sender, cipherText: sealBox(key, nonce, content), nonce, boxes, boxNonce, recipients, groupId }
}

/**
 * The content of a payload for a key of the ring.
 * @param to name of a key; undefined: any
 * @returns undefined when no box of the payload is for such a key
 */
export function decryptPayload(payload: EncryptedPayload, ring: KeyRing, to?: string): Uint8Array | undefined {
  const { sender, boxes, boxNonce, recipients, cipherText, nonce } = payload
  for (const [i, recipient] of recipients.entries()) {
    const name = toBase64(recipient)
    if (!ring.has(name) || (to !== undefined && name !== to)) continue
    const key = openBox(ring.sharedKey(name, sender), boxNonce, boxes[i] as Uint8Array)
    const content = key && openBox(key, nonce, cipherText)
    if (content !== undefined) return content
  }
  return undefined
}

/**
 * A payload that a key of the ring has sent, from what one of its recipients has: the key of their box belongs to both of them.
 * The sender's box is made again, equal to the lost one.
 * @returns undefined when the sender is not a key of the ring, or no box can be opened
 */
export function restoredPayload(payload: EncryptedPayload, ring: KeyRing): EncryptedPayload | undefined {
  const { sender, boxes, boxNonce, recipients, cipherText, nonce } = payload
  const name = toBase64(sender)
  if (!ring.has(name)) return undefined
  for (const [i, recipient] of recipients.entries()) {
    const box = boxes[i] as Uint8Array
    const key = openBox(ring.sharedKey(name, recipient), boxNonce, box)
    if (key === undefined || openBox(key, nonce, cipherText) === undefined) continue
    const own = sealBox(ring.sharedKey(name, sender), boxNonce, key)
    return { ...payload, recipients: [sender, recipient], boxes: [own, box] }
  }
  return undefined
}

/** The same payload for one of its recipients. */
export function payloadFor(payload: EncryptedPayload, recipient: Uint8Array): EncryptedPayload {
  const at = payload.recipients.findIndex((it) => equalBytes(it, recipient))
  return { ...payload, recipients: [recipient], boxes: [payload.boxes[at] as Uint8Array] }
}

/** Names the recipient of a payload of an old version; `ring` has its key. */
export function withRecipient(payload: EncryptedPayload, ring: KeyRing): EncryptedPayload {
  const [box] = payload.boxes
  if (payload.recipients.length > 0 || box === undefined) return payload
  for (const name of ring.names) {
    if (openBox(ring.sharedKey(name, payload.sender), payload.boxNonce, box) === undefined) continue
    return { ...payload, recipients: [ring.publicKey(name)], boxes: [box] }
  }
  return payload
}

/** Whether two payloads differ at most in their recipients. */
export function isSamePayload(a: EncryptedPayload, b: EncryptedPayload): boolean {
  return (
    equalBytes(a.sender, b.sender) &&
    equalBytes(a.cipherText, b.cipherText) &&
    equalBytes(a.nonce, b.nonce) &&
    equalBytes(a.boxNonce, b.boxNonce) &&
    equalBytes(a.groupId ?? EMPTY_BYTES, b.groupId ?? EMPTY_BYTES)
  )
}

/** Both payloads in one; they are the same except for their recipients. */
export function mergePayloads(first: EncryptedPayload, second: EncryptedPayload): EncryptedPayload {
  const isNew = (key: Uint8Array): boolean => !first.recipients.some((known) => equalBytes(known, key))
  const added = second.recipients.flatMap((key, i) => (isNew(key) ? [{ key, box: second.boxes[i] as Uint8Array }] : []))
  return {
    ...first,
    recipients: [...first.recipients, ...added.map(({ key }) => key)],
    boxes: [...first.boxes, ...added.map(({ box }) => box)],
  }
}

/** Independent of earlier transactions; the only mode of Besu's private transactions. */
const STANDARD_MODE = Uint8Array.of(0)
const KEY_BOX_BYTES = KEY_BYTES + BOX_OVERHEAD

export function encodePayload(payload: EncryptedPayload): Uint8Array {
  const { sender, cipherText, nonce, boxes, boxNonce, recipients, groupId } = payload
  return concatBytes(
    fieldOf(sender),
    fieldOf(cipherText),
    fieldOf(nonce),
    fieldsOf(boxes),
    fieldOf(boxNonce),
    fieldsOf(recipients),
    fieldOf(STANDARD_MODE),
    countOf(0),
    groupId === undefined ? EMPTY_BYTES : fieldOf(groupId),
  )
}

/**
 * @param bytes of any origin
 * @throws {NodeError} ENCLAVE_REFUSAL: 400 for malformed bytes, 403 for a mode that the enclave does not support
 */
export function decodePayload(bytes: Uint8Array): EncryptedPayload {
  const reader = new FieldReader(bytes)
  const sender = reader.fixed(KEY_BYTES)
  const cipherText = reader.field()
  const nonce = reader.fixed(NONCE_BYTES)
  const boxes = reader.list(MAX_ENCLAVE_RECIPIENTS, () => reader.fixed(KEY_BOX_BYTES))
  const boxNonce = reader.fixed(NONCE_BYTES)
  const recipients = reader.isAtEnd ? [] : reader.list(MAX_ENCLAVE_RECIPIENTS, () => reader.fixed(KEY_BYTES))
  if (boxes.length !== Math.max(recipients.length, 1)) throw malformed('boxes and recipients differ in number')
  const payload = { sender, cipherText, nonce, boxes, boxNonce, recipients }
  if (reader.isAtEnd) return { ...payload, groupId: undefined }
  if (!equalBytes(reader.field(), STANDARD_MODE)) {
    throw refusal(403, 'Transactions with enhanced privacy are not supported')
  }
  if (reader.count(0) !== 0 || reader.isAtEnd) return { ...payload, groupId: undefined }
  const groupId = reader.fixed(KEY_BYTES)
  if (!reader.isAtEnd) throw malformed('bytes follow the message')
  return { ...payload, groupId }
}
