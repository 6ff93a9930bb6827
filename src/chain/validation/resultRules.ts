/**
 * Validates a header against the result of executing its block.
 * @see Yellow Paper 4.4.4; EIP-4844, EIP-7685
 * @module
 */

import { bytesToHex, concatBytes, EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { sha256 } from '../../base/primitives/sha256.ts'
import { orderedTrieRootOf } from '../../trie/orderedRoot.ts'
import type { Header } from '../../types/block.ts'
import type { Receipt } from '../../types/receipt.ts'
import { receiptView } from '../../types/receiptCodec.ts'
import type { BlockOutcome } from '../transition/contract.ts'
import { checkHash } from './bodyRules.ts'

const NO_REQUESTS_HASH = sha256(EMPTY_BYTES)

type Executed = Extract<BlockOutcome, { kind: 'executed' }>

/**
 * @param stateRoot of the state after the block, 32 bytes
 * @returns why the header contradicts the result; undefined when it agrees
 */
export function validateResult(header: Header, outcome: Executed, stateRoot: Uint8Array): string | undefined {
  return (
    checkGasUsed(header, outcome) ??
    checkHash('receipts root', header.receiptsRoot, receiptsRoot(outcome.receipts)) ??
    checkBloom(header, outcome) ??
    checkBlobGasUsed(header, outcome) ??
    checkRequests(header, outcome) ??
    checkHash('state root', header.stateRoot, stateRoot)
  )
}

export function receiptsRoot(receipts: readonly Receipt[]): Uint8Array {
  return orderedTrieRootOf(receipts.length, (index) => receiptView(receipts[index] as Receipt))
}

/**
 * EIP-7685 requestsHash.
 * @param requests `type ‖ data`, in the order of types; empty ones are omitted
 */
export function requestsHash(requests: readonly Uint8Array[]): Uint8Array {
  if (requests.length === 0) return NO_REQUESTS_HASH
  return sha256(concatBytes(...requests.filter((request) => request.length > 1).map((request) => sha256(request))))
}

function checkGasUsed({ gasUsed }: Header, outcome: Executed): string | undefined {
  return gasUsed === outcome.gasUsed ? undefined : `invalid gas used: ${gasUsed}, must be ${outcome.gasUsed}`
}

function checkBloom({ logsBloom }: Header, outcome: Executed): string | undefined {
  return equalBytes(logsBloom, outcome.logsBloom)
    ? undefined
    : `invalid logs bloom: ${bytesToHex(logsBloom)}, must be ${bytesToHex(outcome.logsBloom)}`
}

function checkBlobGasUsed({ blobGasUsed }: Header, outcome: Executed): string | undefined {
  return blobGasUsed === undefined || blobGasUsed === outcome.blobGasUsed
    ? undefined
    : `invalid blob gas used: ${blobGasUsed}, must be ${outcome.blobGasUsed}`
}

function checkRequests(header: Header, outcome: Executed): string | undefined {
  if (header.requestsHash === undefined) return undefined
  return checkHash('requests hash', header.requestsHash, requestsHash(outcome.requests ?? []))
}
