/**
 * The versions of the eth protocol as data.
 * @see devp2p caps/eth.md; docs/reference/p2p.md section 4
 * @module
 */
import type { EthMessage, EthRequest, EthResponse } from './messages.ts'

export type EthVersionNumber = 63 | 64 | 65 | 66 | 67 | 68 | 69

export interface EthVersion {
  readonly number: EthVersionNumber
  /** Message codes that the capability reserves. */
  readonly codeCount: number
  /** eth/64, EIP-2364 */
  readonly hasForkId: boolean
  /** eth/66, EIP-2481 */
  readonly hasRequestIds: boolean
  /** eth/68, EIP-5793: announcements carry type and size of each transaction. */
  readonly announcesTypes: boolean
  /** eth/69, EIP-7642: a range of blocks instead of the total difficulty, and receipts without bloom. */
  readonly hasBlockRange: boolean
}

function version(number: EthVersionNumber): EthVersion {
  return {
    number,
    codeCount: number >= 69 ? 18 : 17,
    hasForkId: number >= 64,
    hasRequestIds: number >= 66,
    announcesTypes: number >= 68,
    hasBlockRange: number >= 69,
  }
}

/** Ascending. */
export const ETH_VERSIONS: readonly EthVersion[] = [63, 64, 65, 66, 67, 68, 69].map((number) =>
  version(number as EthVersionNumber),
)

/** @returns undefined for a version that is not supported */
export function ethVersion(number: number): EthVersion | undefined {
  return ETH_VERSIONS.find((candidate) => candidate.number === number)
}

export type EthMessageKind = EthMessage['kind']

interface MessageRow {
  readonly code: number
  /** First and last version with the message. */
  readonly since?: EthVersionNumber
  readonly until?: EthVersionNumber
  /** Requests and responses, which carry an id since eth/66. */
  readonly hasRequestId?: boolean
  /** Whether the message has blocks, transactions or state; the others are brief. */
  readonly isLarge?: boolean
}

/** Codes are relative to the first of the capability. */
export const ETH_MESSAGES: Readonly<Record<EthMessageKind, MessageRow>> = {
  status: { code: 0x00 },
  newBlockHashes: { code: 0x01 },
  transactions: { code: 0x02, isLarge: true },
  getBlockHeaders: { code: 0x03, hasRequestId: true },
  blockHeaders: { code: 0x04, hasRequestId: true, isLarge: true },
  getBlockBodies: { code: 0x05, hasRequestId: true },
  blockBodies: { code: 0x06, hasRequestId: true, isLarge: true },
  newBlock: { code: 0x07, isLarge: true },
  // EIP-2464
  newPooledTransactionHashes: { code: 0x08, since: 65 },
  getPooledTransactions: { code: 0x09, since: 65, hasRequestId: true },
  pooledTransactions: { code: 0x0a, since: 65, hasRequestId: true, isLarge: true },
  // EIP-4938
  getNodeData: { code: 0x0d, until: 66, hasRequestId: true },
  nodeData: { code: 0x0e, until: 66, hasRequestId: true, isLarge: true },
  getReceipts: { code: 0x0f, hasRequestId: true },
  receipts: { code: 0x10, hasRequestId: true, isLarge: true },
  // EIP-7642
  blockRangeUpdate: { code: 0x11, since: 69 },
}

const ROWS: readonly (readonly [EthMessageKind, MessageRow])[] = Object.entries(ETH_MESSAGES) as [
  EthMessageKind,
  MessageRow,
][]

const KINDS: ReadonlyMap<EthVersionNumber, readonly (EthMessageKind | undefined)[]> = new Map(
  ETH_VERSIONS.map(({ number, codeCount }) => {
    const kinds: (EthMessageKind | undefined)[] = new Array(codeCount).fill(undefined)
    for (const [kind, { code, since = 63, until = 69 }] of ROWS) {
      if (number >= since && number <= until) kinds[code] = kind
    }
    return [number, kinds]
  }),
)

/** @returns undefined when the version has no message with this code */
export function kindOfCode({ number }: EthVersion, code: number): EthMessageKind | undefined {
  return KINDS.get(number)?.[code]
}

export function hasRequestId({ hasRequestIds }: EthVersion, kind: EthMessageKind): boolean {
  return hasRequestIds && ETH_MESSAGES[kind].hasRequestId === true
}

/** The answer to each request. */
export interface EthResponseKinds extends Record<EthRequest['kind'], EthResponse['kind']> {
  getBlockHeaders: 'blockHeaders'
  getBlockBodies: 'blockBodies'
  getPooledTransactions: 'pooledTransactions'
  getNodeData: 'nodeData'
  getReceipts: 'receipts'
}

export const ETH_RESPONSES: Readonly<EthResponseKinds> = {
  getBlockHeaders: 'blockHeaders',
  getBlockBodies: 'blockBodies',
  getPooledTransactions: 'pooledTransactions',
  getNodeData: 'nodeData',
  getReceipts: 'receipts',
}

const RESPONSES: ReadonlySet<EthMessageKind> = new Set(Object.values(ETH_RESPONSES))

export function isResponse(kind: EthMessageKind): kind is EthResponse['kind'] {
  return RESPONSES.has(kind)
}
