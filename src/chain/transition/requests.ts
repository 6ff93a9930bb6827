/**
 * Requests of the execution layer to the consensus layer.
 * @see EIP-6110, EIP-7002, EIP-7251, EIP-7685
 * @module
 */
import { bytesToHex, concatBytes, EMPTY_BYTES, equalBytes, hexToBytes, readUint } from '../../base/primitives/bytes.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Log, StoredReceipt } from '../../types/receipt.ts'
import type { ExecutionContext } from './applyMessage.ts'
import { CONSOLIDATION_REQUEST_ADDRESS, WITHDRAWAL_REQUEST_ADDRESS } from './systemAddresses.ts'
import { systemCall } from './systemCalls.ts'

/** EIP-6110: the deposit contract of the main network. */
const DEPOSIT_CONTRACT_ADDRESS = hexToBytes('00000000219ab540356cbb839cbe05303d7705fa')
/** keccak256("DepositEvent(bytes,bytes,bytes,bytes,bytes)") */
const DEPOSIT_EVENT_TOPIC = hexToBytes('649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')

const DEPOSIT_REQUEST = 0
const WITHDRAWAL_REQUEST = 1
const CONSOLIDATION_REQUEST = 2

/** Fields of a deposit event: public key, withdrawal credentials, amount, signature, index. Lengths in bytes. */
const DEPOSIT_FIELDS = [48, 32, 8, 96, 8] as const
const WORD = 32
const DEPOSIT_EVENT_BYTES = 576

export type RequestsOutcome =
  | { readonly kind: 'requests'; readonly requests: readonly Uint8Array[] }
  /** Makes the block invalid. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** Collects the requests of a block after its last transaction, ordered by type. */
export async function collectRequests(
  receipts: readonly StoredReceipt[],
  depositContract: Uint8Array | undefined,
  state: MutableState,
  context: ExecutionContext,
): Promise<RequestsOutcome> {
  const { eips } = context.rules
  const requests: Uint8Array[] = []
  const add = (type: number, data: Uint8Array): void => {
    if (data.length > 0) requests.push(concatBytes(Uint8Array.of(type), data))
  }
  if (eips.has(6110)) {
    const deposits = depositRequests(receipts, depositContract ?? DEPOSIT_CONTRACT_ADDRESS)
    if (deposits === undefined) return { kind: 'invalid', reason: 'invalid deposit log: unsupported data layout' }
    add(DEPOSIT_REQUEST, deposits)
  }
  for (const [eip, type, address] of [
    [7002, WITHDRAWAL_REQUEST, WITHDRAWAL_REQUEST_ADDRESS],
    [7251, CONSOLIDATION_REQUEST, CONSOLIDATION_REQUEST_ADDRESS],
  ] as const) {
    if (!eips.has(eip)) continue
    const called = systemCall(address, EMPTY_BYTES, state, context)
    const result = called instanceof Promise ? await called : called
    if (result?.outcome !== 'success') {
      const why = result === undefined ? 'no code' : (result.halt ?? result.outcome)
      return { kind: 'invalid', reason: `system call to ${bytesToHex(address)} failed: ${why}` }
    }
    add(type, result.output)
  }
  return { kind: 'requests', requests }
}

/** @returns undefined when a deposit event does not have the expected layout */
function depositRequests(receipts: readonly StoredReceipt[], contract: Uint8Array): Uint8Array | undefined {
  const deposits: Uint8Array[] = []
  for (const { logs } of receipts) {
    for (const log of logs) {
      if (!isDeposit(log, contract)) continue
      const deposit = parseDeposit(log.data)
      if (deposit === undefined) return undefined
      deposits.push(deposit)
    }
  }
  return concatBytes(...deposits)
}

function isDeposit({ address, topics }: Log, contract: Uint8Array): boolean {
  const [topic] = topics
  return topic !== undefined && equalBytes(address, contract) && equalBytes(topic, DEPOSIT_EVENT_TOPIC)
}

/** Extracts the fields from the event's ABI encoding: a head of offsets, then length and padded bytes of each field. */
function parseDeposit(data: Uint8Array): Uint8Array | undefined {
  if (data.length !== DEPOSIT_EVENT_BYTES) return undefined
  const fields: Uint8Array[] = []
  let offset = DEPOSIT_FIELDS.length * WORD
  for (const [i, length] of DEPOSIT_FIELDS.entries()) {
    if (readWord(data, i * WORD) !== offset || readWord(data, offset) !== length) return undefined
    const start = offset + WORD
    fields.push(data.subarray(start, start + length))
    offset = start + Math.ceil(length / WORD) * WORD
  }
  return concatBytes(...fields)
}

/** A 32-byte integer; undefined above six bytes, which no valid offset or length needs. */
function readWord(data: Uint8Array, at: number): number | undefined {
  for (let i = at; i < at + WORD - 6; i++) if (data[i] !== 0) return undefined
  return readUint(data, at + WORD - 6, 6)
}
