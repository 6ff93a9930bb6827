/**
 * Parameters and answers of private transactions.
 * @see docs/reference/privacy.md sections 8 and 15
 * @module
 */

import type { BlockNumberOrTag } from '../../api/blockReference.ts'
import { unexpectedValue } from '../../api/errors.ts'
import { MAX_FILTER_ALTERNATIVES } from '../../base/limits/limits.ts'
import { toBase64 } from '../../base/primitives/base64.ts'
import { bytesToHex, EMPTY_BYTES, quantity, tryHexToBytes } from '../../base/primitives/bytes.ts'
import { described } from '../../base/primitives/printable.ts'
import type { PrivacyGroup } from '../../private/privacy/groups.ts'
import type { PrivateLogTerms } from '../../private/privacy/privateLogs.ts'
import type { PrivateReceipt } from '../../private/privacy/privateRecords.ts'
import { type PrivateTransaction, privateForOf } from '../../private/privacy/privateTransaction.ts'
import { logsBloom } from '../../types/bloom.ts'
import type { Codec } from '../method.ts'
import { blockNumberOrTag } from './blockParameter.ts'
import { addresses } from './filter.ts'
import { address, data, hash32, wei } from './scalars.ts'
import { ADDRESS, BYTES, HASH, UINT } from './schemas.ts'
import { answerCodec, arrayOf, asObject, member, nullable, parameterCodec } from './support.ts'

const KEY_SCHEMA = { title: 'Base64 of 32 bytes', type: 'string', pattern: '^[A-Za-z0-9+/]{43}=$' }

/** A key or an id as the client wrote it; what it means is decided by the method. */
export const keyText: Codec<string> = {
  schema: KEY_SCHEMA,
  parse: (value) => {
    if (typeof value !== 'string') throw unexpectedValue('a string of Base64', described(value))
    return value
  },
  serialize: (value) => value,
}

export const keyTexts: Codec<readonly string[]> = arrayOf(keyText)

/** The list of findPrivacyGroup, which goes to the enclave as it is. */
export const anyKeys: Codec<readonly unknown[]> = parameterCodec({ type: 'array', items: KEY_SCHEMA }, (value) => {
  if (!Array.isArray(value)) throw unexpectedValue('a list of keys', described(value))
  return value
})

/** A signed private transaction in hex; the method decodes it. A number becomes text, which is not a transaction. */
export const rawPrivate: Codec<string> = {
  schema: BYTES,
  parse: (value) => {
    if (typeof value === 'object' || value === undefined) throw unexpectedValue('a string of hex', described(value))
    return String(value)
  },
  serialize: (value) => value,
}

export interface NewGroup {
  readonly addresses: readonly string[]
  readonly name: string | null
  readonly description: string | null
}

const GROUP_KEYS: ReadonlySet<string> = new Set(['addresses', 'name', 'description'])

export const newGroup: Codec<NewGroup> = parameterCodec(
  {
    title: 'PrivacyGroupRequest',
    type: 'object',
    required: ['addresses'],
    properties: {
      addresses: { type: 'array', items: KEY_SCHEMA },
      name: { type: 'string' },
      description: { type: 'string' },
    },
    additionalProperties: false,
  },
  (value) => {
    const group = asObject(value, 'group')
    for (const key of Object.keys(group))
      if (!GROUP_KEYS.has(key)) throw unexpectedValue(`the keys ${[...GROUP_KEYS].join(', ')}`, described(key), 'group')
    const members = member(group, 'addresses', keyTexts)
    if (members === undefined) throw unexpectedValue('addresses', 'none', 'group')
    return {
      addresses: members,
      name: member(group, 'name', keyText) ?? null,
      description: member(group, 'description', keyText) ?? null,
    }
  },
)

const GROUP_SCHEMA = {
  title: 'PrivacyGroup',
  type: 'object',
  properties: {
    privacyGroupId: KEY_SCHEMA,
    name: { type: 'string' },
    description: { type: 'string' },
    type: { type: 'string' },
    members: { type: 'array', items: KEY_SCHEMA },
  },
}

export const privacyGroup: Codec<PrivacyGroup> = answerCodec(
  GROUP_SCHEMA,
  ({ privacyGroupId, name, description, type, members }) => ({ privacyGroupId, name, description, type, members }),
)

export interface PrivateCallObject {
  readonly from: Uint8Array | undefined
  readonly to: Uint8Array
  readonly data: Uint8Array
  readonly value: bigint
  readonly gasPrice: bigint
}

/** Other members are ignored: gas is not limited. */
export const privateCall: Codec<PrivateCallObject> = parameterCodec(
  {
    title: 'PrivateCall',
    type: 'object',
    required: ['to'],
    properties: { from: ADDRESS, to: ADDRESS, data: BYTES, input: BYTES, gas: UINT, gasPrice: UINT, value: UINT },
  },
  (value, profile) => {
    const call = asObject(value, 'call')
    const to = member(call, 'to', address, profile)
    if (to === undefined) throw unexpectedValue('an address as `to`', 'none', 'call')
    return {
      to,
      from: member(call, 'from', address, profile),
      data: member(call, 'data', data) ?? member(call, 'input', data) ?? EMPTY_BYTES,
      value: member(call, 'value', wei) ?? 0n,
      gasPrice: member(call, 'gasPrice', wei) ?? 0n,
    }
  },
)

export interface PrivateFilterObject extends PrivateLogTerms {
  readonly fromBlock: BlockNumberOrTag | undefined
  readonly toBlock: BlockNumberOrTag | undefined
  readonly blockHash: Uint8Array | undefined
}

const FILTER_KEYS: ReadonlySet<string> = new Set([
  'fromBlock',
  'toBlock',
  'address',
  'addresses',
  'topics',
  'blockHash',
])
const addressList = arrayOf(address)

export const privateFilter: Codec<PrivateFilterObject> = parameterCodec(
  {
    title: 'PrivateFilter',
    type: 'object',
    properties: {
      fromBlock: blockNumberOrTag.schema,
      toBlock: blockNumberOrTag.schema,
      blockHash: HASH,
      addresses: { type: 'array', items: ADDRESS },
      address: addresses.schema,
      topics: { type: 'array' },
    },
    additionalProperties: false,
  },
  (value, profile) => {
    const filter = asObject(value, 'filter')
    for (const key of Object.keys(filter))
      if (!FILTER_KEYS.has(key))
        throw unexpectedValue(`the keys ${[...FILTER_KEYS].join(', ')}`, described(key), 'filter')
    const fromBlock = member(filter, 'fromBlock', blockNumberOrTag)
    const toBlock = member(filter, 'toBlock', blockNumberOrTag)
    const blockHash = member(filter, 'blockHash', hash32)
    if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
      throw unexpectedValue('either blockHash, or fromBlock and toBlock', 'both', 'filter')
    }
    const listed = member(filter, 'addresses', addressList, profile) ?? []
    const addressTexts = member(filter, 'address', addresses, profile) ?? []
    return {
      fromBlock,
      toBlock,
      blockHash,
      addresses: [...listed, ...addressTexts],
      topics: topicsOf(filter['topics']),
    }
  },
)

/** A topic of another length than 32 bytes, or an empty list, matches nothing. */
function topicsOf(value: unknown): PrivateLogTerms['topics'] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw unexpectedValue('an array', described(value), 'topics')
  return value.map((position) => {
    if (position === null) return undefined
    const alternatives: readonly unknown[] = Array.isArray(position) ? position : [position]
    if (alternatives.length > MAX_FILTER_ALTERNATIVES)
      throw unexpectedValue(
        `at most ${MAX_FILTER_ALTERNATIVES} alternatives of a topic`,
        String(alternatives.length),
        'filter',
      )
    return alternatives.map((topic) => {
      const bytes = typeof topic === 'string' ? tryHexToBytes(topic) : undefined
      if (bytes === undefined) throw unexpectedValue('hex of whole bytes', described(topic), 'topic')
      return bytes
    })
  })
}

export interface PrivateTransactionView {
  readonly transaction: PrivateTransaction
  readonly from: Uint8Array | undefined
}

const TRANSACTION_SCHEMA = { title: 'PrivateTransaction', type: 'object' }

export const privateTransaction: Codec<PrivateTransactionView | undefined> = nullable(
  answerCodec(TRANSACTION_SCHEMA, ({ transaction, from }: PrivateTransactionView) => {
    const { gasLimit, gasPrice, data: input, nonce, to, value, v, r, s, privateFrom, restriction } = transaction
    return {
      ...(from === undefined ? {} : { from: bytesToHex(from) }),
      gas: quantity(gasLimit),
      gasPrice: quantity(gasPrice),
      input: bytesToHex(input),
      nonce: quantity(nonce),
      to: to === undefined ? null : bytesToHex(to),
      value: quantity(value),
      v: quantity(v),
      r: quantity(r),
      s: quantity(s),
      privateFrom: toBase64(privateFrom),
      ...recipientsJson(transaction),
      restriction,
    }
  }),
)

function recipientsJson(transaction: PrivateTransaction): Record<string, unknown> {
  const { recipients } = transaction
  return recipients.kind === 'group'
    ? { privacyGroupId: toBase64(recipients.id) }
    : { privateFor: privateForOf(transaction) }
}

export interface PrivateReceiptView {
  readonly transaction: PrivateTransaction
  readonly from: Uint8Array | undefined
  readonly contractAddress: Uint8Array | undefined
  /** Base64 */
  readonly groupId: string
  /** Hash of the marker. */
  readonly hash: Uint8Array
  readonly blockHash: Uint8Array
  readonly blockNumber: number
  readonly index: number
  /** undefined: the transaction was not run */
  readonly receipt: PrivateReceipt | undefined
}

const RECEIPT_SCHEMA = { title: 'PrivateReceipt', type: 'object' }

export const privateReceipt: Codec<PrivateReceiptView | undefined> = nullable(
  answerCodec(RECEIPT_SCHEMA, (view: PrivateReceiptView) => {
    const { transaction, from, contractAddress, receipt } = view
    const logs = receipt?.logs ?? []
    return {
      ...(contractAddress === undefined ? {} : { contractAddress: bytesToHex(contractAddress) }),
      ...(from === undefined ? {} : { from: bytesToHex(from) }),
      ...(transaction.to === undefined ? {} : { to: bytesToHex(transaction.to) }),
      output: bytesToHex(receipt?.output ?? EMPTY_BYTES),
      commitmentHash: bytesToHex(view.hash),
      privateFrom: toBase64(transaction.privateFrom),
      ...(transaction.recipients.kind === 'keys' ? { privateFor: privateForOf(transaction) } : {}),
      privacyGroupId: view.groupId,
      status: quantity(receipt?.status ?? 0),
      ...(receipt?.revertReason === undefined ? {} : { revertReason: bytesToHex(receipt.revertReason) }),
      logs: logs.map((log, at) => ({
        address: bytesToHex(log.address),
        topics: log.topics.map(bytesToHex),
        data: bytesToHex(log.data),
        blockNumber: quantity(view.blockNumber),
        transactionHash: bytesToHex(view.hash),
        transactionIndex: quantity(view.index),
        blockHash: bytesToHex(view.blockHash),
        logIndex: quantity(at),
        removed: false,
      })),
      logsBloom: bytesToHex(logsBloom(logs)),
      blockHash: bytesToHex(view.blockHash),
      blockNumber: quantity(view.blockNumber),
      transactionIndex: quantity(view.index),
    }
  }),
)
