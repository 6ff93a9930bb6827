/**
 * Encodes and decodes messages of snap/1.
 * @see devp2p caps/snap.md
 * @module
 */
import { MAX_SNAP_PATHS } from '../../../base/limits/limits.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded } from '../../../base/primitives/rlp.ts'
import { type EncodedKind, encodingError } from '../../../types/fieldReader.ts'
import { readMessage, type WireReader } from '../../../types/wireReader.ts'
import { SNAP_CODES, type SnapEntry, type SnapMessage, type SnapMessageKind } from './messages.ts'

const SNAP_MESSAGE: EncodedKind = { code: 'INVALID_PROTOCOL_MESSAGE', name: 'snap message' }
const HASH_BYTES = 32
/** A path has 33 bytes in hex-prefix encoding. Clients also send one byte per nibble, which gets an empty answer. */
const MAX_PATH_BYTES = 65

const KINDS: readonly SnapMessageKind[] = Object.keys(SNAP_CODES) as SnapMessageKind[]

export function encodeSnapMessage(message: SnapMessage): { readonly code: number; readonly payload: Uint8Array } {
  const fields = [scalar(message.requestId), ...encodeFields(message)]
  return { code: SNAP_CODES[message.kind], payload: rlpListOfEncoded(fields) }
}

function encodeFields(message: SnapMessage): Uint8Array[] {
  switch (message.kind) {
    case 'getAccountRange':
      return [...[message.root, message.start, message.limit].map(rlpEncode), scalar(message.maxBytes)]
    case 'accountRange':
      return [rlpListOfEncoded(message.accounts.map(encodeAccount)), strings(message.proof)]
    case 'getStorageRanges': {
      const bounds = [message.start ?? EMPTY_BYTES, message.limit ?? EMPTY_BYTES].map(rlpEncode)
      return [rlpEncode(message.root), strings(message.accounts), ...bounds, scalar(message.maxBytes)]
    }
    case 'storageRanges':
      return [rlpListOfEncoded(message.slots.map(encodeSlots)), strings(message.proof)]
    case 'getByteCodes':
      return [strings(message.hashes), scalar(message.maxBytes)]
    case 'byteCodes':
      return [strings(message.codes)]
    case 'getTrieNodes':
      return [rlpEncode(message.root), rlpListOfEncoded(message.paths.map(strings)), scalar(message.maxBytes)]
    case 'trieNodes':
      return [strings(message.nodes)]
  }
}

const scalar = (value: bigint): Uint8Array => rlpEncode(bigIntToBytes(value))
const strings = (values: readonly Uint8Array[]): Uint8Array => rlpListOfEncoded(values.map(rlpEncode))

/** [hash, [nonce, balance, root, code hash]] */
function encodeAccount({ hash, body }: SnapEntry): Uint8Array {
  return rlpListOfEncoded([rlpEncode(hash), body])
}

/** [[hash, value]…] */
function encodeSlots(slots: readonly SnapEntry[]): Uint8Array {
  return rlpListOfEncoded(slots.map(({ hash, body }) => rlpEncode([hash, body])))
}

/**
 * Decodes a message that a peer has sent. Each error is a breach of the protocol.
 * @throws {NodeError} INVALID_PROTOCOL_MESSAGE
 */
export function decodeSnapMessage(code: number, payload: Uint8Array): SnapMessage {
  const kind = KINDS[code]
  if (kind === undefined) throw encodingError(SNAP_MESSAGE, `snap/1 has no code ${code}`)
  const fields = readMessage(payload, SNAP_MESSAGE)
  const requestId = fields.scalar('requestId')
  const message = { requestId, ...decodeFields(kind, fields) }
  fields.end()
  return message
}

type WithoutId<M> = M extends SnapMessage ? Omit<M, 'requestId'> : never

function decodeFields(kind: SnapMessageKind, fields: WireReader): WithoutId<SnapMessage> {
  switch (kind) {
    case 'getAccountRange':
      return {
        kind,
        root: hash(fields, 'root'),
        start: hash(fields, 'start'),
        limit: hash(fields, 'limit'),
        ...max(fields),
      }
    case 'accountRange':
      return { kind, accounts: fields.listOf('accounts', readAccount), proof: readStrings(fields, 'proof') }
    case 'getStorageRanges': {
      const root = hash(fields, 'root')
      const accounts = fields.list('accounts').hashes('account')
      const start = optionalHash(fields, 'start')
      return { kind, root, accounts, start, limit: optionalHash(fields, 'limit'), ...max(fields) }
    }
    case 'storageRanges':
      return {
        kind,
        slots: fields.listOf('slots', (lists) => lists.listOf('slots', readSlot)),
        proof: readStrings(fields, 'proof'),
      }
    case 'getByteCodes':
      return { kind, hashes: fields.list('hashes').hashes('hash'), ...max(fields) }
    case 'byteCodes':
      return { kind, codes: readStrings(fields, 'codes') }
    case 'getTrieNodes':
      return { kind, root: hash(fields, 'root'), paths: readPaths(fields), ...max(fields) }
    case 'trieNodes':
      return { kind, nodes: readStrings(fields, 'nodes') }
  }
}

const hash = (fields: WireReader, field: string): Uint8Array => fields.fixed(field, HASH_BYTES)

/** Empty or 32 bytes. */
function optionalHash(fields: WireReader, field: string): Uint8Array | undefined {
  const bytes = fields.bytes(field)
  if (bytes.length === 0) return undefined
  if (bytes.length !== HASH_BYTES) throw fields.invalid(`${field} has ${bytes.length} bytes, not ${HASH_BYTES}`)
  return bytes
}

function max(fields: WireReader): { readonly maxBytes: bigint } {
  return { maxBytes: fields.scalar('bytes') }
}

function readStrings(fields: WireReader, field: string): Uint8Array[] {
  return fields.listOf(field, (items) => items.bytes(field))
}

function readAccount(accounts: WireReader): SnapEntry {
  const fields = accounts.list('account')
  const entry = { hash: hash(fields, 'account hash'), body: fields.item('account') }
  fields.end()
  return entry
}

function readSlot(slots: WireReader): SnapEntry {
  const fields = slots.list('slot')
  const entry = { hash: hash(fields, 'slot hash'), body: fields.bytes('slot') }
  fields.end()
  return entry
}

/** Sets of paths, MAX_SNAP_PATHS paths in all. */
function readPaths(fields: WireReader): Uint8Array[][] {
  let count = 0
  return fields.listOf('paths', (sets) => {
    const paths = sets.listOf('paths', (items) => items.bytes('path', MAX_PATH_BYTES))
    const [first] = paths
    if (first === undefined) throw sets.invalid('a set of paths is empty')
    if (paths.length > 1 && first.length > HASH_BYTES) throw sets.invalid(`an account hash of ${first.length} bytes`)
    count += paths.length
    if (count > MAX_SNAP_PATHS) throw sets.invalid('too many paths')
    return paths
  })
}
