/**
 * Traces of mined transactions in Otterscan's form.
 * @module
 */
import { receiptOf } from '../../../api/views.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import { callFrom, type FlatEntry } from '../../../tracing/besu/flatTrace.ts'
import { hash32, json } from '../../codecs/scalars.ts'
import { ADDRESS, BYTES, listOf, objectSchema, UINT256 } from '../../codecs/schemas.ts'
import { type Codec, defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { TRANSACTION_HASH } from '../support/parameterTexts.ts'
import { flatTracedTransaction } from '../support/traceSubjects.ts'
import { replayErrors } from '../trace/traceBackend.ts'
import { keptEntries, type OtsTraceBackend, traceTransactions } from './tracedBlock.ts'

const ERRORS: readonly string[] = ['TRANSACTION_NOT_FOUND', 'STATE_PRUNED', ...replayErrors]

const operations: Codec<StreamedResult> = json(
  listOf(
    objectSchema('InternalOperation', {
      type: { type: 'integer', enum: [0, 1, 2, 3] },
      from: ADDRESS,
      to: ADDRESS,
      value: UINT256,
    }),
  ),
)
const traceEntries: Codec<StreamedResult> = json(
  listOf(
    objectSchema('OtsTraceEntry', {
      type: { type: 'string' },
      depth: { type: 'integer' },
      from: ADDRESS,
      to: ADDRESS,
      value: { oneOf: [UINT256, { type: 'null' }] },
      input: BYTES,
      output: BYTES,
    }),
  ),
)
const errorData: Codec<StreamedResult | string> = json(BYTES)

interface Located {
  readonly header: ChainHeader
  readonly index: number
}

/** @throws {NodeError} TRANSACTION_NOT_FOUND */
function locate(chain: ChainReader, hash: Uint8Array): Located {
  const location = chain.transactionLocation(hash)
  const header = location && chain.headerByHash(location.blockHash)
  if (location === undefined || header === undefined) {
    throw new NodeError({ code: 'TRANSACTION_NOT_FOUND' }, 'transaction not found')
  }
  return { header, index: location.index }
}

/** Writes one value about the calls of a transaction. */
function traced(
  backend: OtsTraceBackend,
  { header, index }: Located,
  context: RequestContext,
  write: (out: JsonWriter, entries: readonly FlatEntry[]) => void,
): StreamedResult {
  return new StreamedResult((out) =>
    traceTransactions(backend, header, [index], context, (_, entries) => write(out, entries)),
  )
}

const [TRANSFER, SELF_DESTRUCT, CREATE, CREATE2] = [0, 1, 2, 3] as const

/** undefined for an entry that neither moves ether nor creates or destroys a contract */
function operationOf(entry: FlatEntry): object | undefined {
  if (entry.event.kind === 'selfDestruct') {
    const { address, beneficiary, balance } = entry.event.selfDestruct
    return operation(SELF_DESTRUCT, address, beneficiary, balance)
  }
  const { kind, caller, target, value } = entry.event.start
  if (kind === 'CALL' && value > 0n) return operation(TRANSFER, caller, target, value)
  if (kind === 'CREATE') return operation(CREATE, caller, target, value)
  return kind === 'CREATE2' ? operation(CREATE2, caller, target, value) : undefined
}

function operation(type: number, from: Uint8Array, to: Uint8Array, value: bigint): object {
  return { type, from: bytesToHex(from), to: bytesToHex(to), value: quantity(value) }
}

export const getInternalOperations: MethodDefinition<OtsTraceBackend> = defineMethod({
  name: 'ots_getInternalOperations',
  group: 'OTS',
  summary:
    'Transfers (type 0), self-destructs (1), CREATE (2) and CREATE2 (3) inside a transaction, in order, without the ' +
    'transaction itself and without those that were reverted.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('operations', operations),
  errors: ERRORS,
  isHeavy: true,
  subjectOf: flatTracedTransaction,
  handler: (backend: OtsTraceBackend, [hash], context) =>
    traced(backend, locate(backend.chain, hash), context, (out, entries) => {
      const inner = keptEntries(entries).filter(({ parent }) => parent !== undefined)
      out.value(inner.map(operationOf).filter((found) => found !== undefined))
    }),
})

/** Under DELEGATECALL and STATICCALL no value moves. */
function writeEntry(out: JsonWriter, entry: FlatEntry): void {
  if (entry.event.kind === 'selfDestruct') {
    const { depth, address, beneficiary, balance } = entry.event.selfDestruct
    writeHead(out, 'SELFDESTRUCT', depth + 1, address, beneficiary, balance)
    out.ascii(',"input":"0x","output":"0x"}')
    return
  }
  const { kind, depth, target, value, caller, input } = entry.event.start
  const moves = kind !== 'DELEGATECALL' && kind !== 'STATICCALL'
  writeHead(out, kind, depth, callFrom(entry) ?? caller, target, moves ? value : undefined)
  out.ascii(',"input":"0x')
  out.hex(input)
  out.ascii('","output":"0x')
  if (entry.end !== undefined) out.hex(entry.end.output)
  out.ascii('"}')
}

function writeHead(
  out: JsonWriter,
  type: string,
  depth: number,
  from: Uint8Array,
  to: Uint8Array,
  value: bigint | undefined,
): void {
  const amount = value === undefined ? 'null' : `"${quantity(value)}"`
  out.ascii(
    `{"type":"${type}","depth":${depth},"from":"${bytesToHex(from)}","to":"${bytesToHex(to)}","value":${amount}`,
  )
}

export const traceTransaction: MethodDefinition<OtsTraceBackend> = defineMethod({
  name: 'ots_traceTransaction',
  group: 'OTS',
  summary:
    'Calls, creations and self-destructs of a transaction in the order in which they began, with their depth. Calls of ' +
    'precompiled contracts are left out.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('entries', traceEntries),
  errors: ERRORS,
  isHeavy: true,
  subjectOf: flatTracedTransaction,
  handler: (backend: OtsTraceBackend, [hash], context) =>
    traced(backend, locate(backend.chain, hash), context, (out, entries) => {
      out.ascii('[')
      for (const [i, entry] of entries.entries()) {
        if (i > 0) out.ascii(',')
        writeEntry(out, entry)
      }
      out.ascii(']')
    }),
})

function revertData(entries: readonly FlatEntry[]): Uint8Array | undefined {
  const end = entries[0]?.end
  return end?.outcome === 'revert' ? end.output : undefined
}

export const getTransactionError: MethodDefinition<OtsTraceBackend> = defineMethod({
  name: 'ots_getTransactionError',
  group: 'OTS',
  summary: 'Revert data of a failed transaction; `0x` when it succeeded, or failed without data.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('data', errorData),
  errors: ERRORS,
  isHeavy: true,
  subjectOf: flatTracedTransaction,
  handler: (backend: OtsTraceBackend, [hash], context) => {
    const located = locate(backend.chain, hash)
    // Receipts before Byzantium do not say whether the transaction succeeded.
    if (receiptOf(backend.chain, hash)?.receipt.status === true) return '0x'
    return traced(backend, located, context, (out, entries) => {
      out.ascii('"0x')
      out.hex(revertData(entries) ?? new Uint8Array(0))
      out.ascii('"')
    })
  },
})
