/**
 * A call with everything that proves its result: a program that knows the hash of the block can run it again.
 * @module
 */
import { MAX_WITNESS_BYTES } from '../../base/limits/limits.ts'
import type { Residency } from '../../base/ports/keyValueStore.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import { type KnownParts, readHash } from '../../state/knownParts.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import type { BlockNumberOrTagOrHash } from '../blockReference.ts'
import { requireHeader } from '../lookup.ts'
import { type CallBackend, CallSimulation, type SimulationBackend } from './callSimulation.ts'
import type { CallObject, CallOutcome } from './contract.ts'
import { callFailure } from './failure.ts'
import type { Caller } from './notes.ts'
import { callChargesFees } from './prepareCall.ts'
import { type AccountReads, recordingReads, StateReads } from './stateReads.ts'

export interface WitnessBackend extends CallBackend {
  readonly residency?: Residency | undefined
}

export interface CallWitness {
  readonly outcome: CallOutcome
  /** Why the call failed; undefined after success. */
  readonly failure: NodeError | undefined
  /** Every account and slot that the call read, and that was not known. */
  readonly reads: readonly AccountReads[]
  /** RLP of trie nodes in hex, of the state and of storages, each once. */
  readonly nodes: readonly string[]
  /** Of all accounts that the call read; in hex, each once. */
  readonly codes: readonly string[]
  /** RLP of the block's header in hex, and of as many ancestors as the hashes that the call read need, newest first. */
  readonly headers: readonly string[]
}

/**
 * @param known left out of the witness
 * @throws {NodeError} for an unknown block, CALL_STATE_UNAVAILABLE, RESPONSE_TOO_LARGE, EXECUTION_TIMEOUT and its like;
 *   a call that fails is no error
 */
export async function callWitness(
  backend: WitnessBackend,
  call: CallObject,
  block: BlockNumberOrTagOrHash,
  known: KnownParts,
  caller: Caller,
): Promise<CallWitness> {
  const header = requireHeader(backend.chain, block)
  const reads = new StateReads()
  const recording: SimulationBackend = { ...backend, calls: recordingReads(backend.calls, reads), pending: undefined }
  const reference = { kind: 'hash', hash: header.hash, requireCanonical: false } as const
  const options = { block: reference, stateOverrides: undefined, blockOverrides: undefined }
  const simulation = new CallSimulation(recording, options, caller)
  const outcome = await simulation.run(call, { chargesFees: callChargesFees(call, simulation.block) })
  const witness = new Witness(known)
  await proveReads(backend, header, reads.accounts, witness)
  const headers = await retryMissesMaybe(
    () => headersDownTo(backend.chain, header, reads.oldestHash),
    backend.residency,
  )
  for (const each of headers) witness.header(encodeHeader(each.header))
  return { outcome, failure: callFailure(outcome), reads: unknownReads(reads.accounts, known), ...witness.parts }
}

function unknownReads(accounts: readonly AccountReads[], known: KnownParts): readonly AccountReads[] {
  if (known.isEmpty) return accounts
  return accounts.flatMap(({ address, slots }) => {
    const unknown = slots.filter((slot) => !known.has(readHash(address, slot)))
    return unknown.length === 0 && known.has(readHash(address)) ? [] : [{ address, slots: unknown }]
  })
}

async function proveReads(
  { states, residency, calls }: WitnessBackend,
  header: ChainHeader,
  accounts: readonly AccountReads[],
  witness: Witness,
): Promise<void> {
  const slicer = calls.slicer()
  const state = states.at(header)
  if (state === undefined) throw new NodeError({ code: 'CALL_STATE_UNAVAILABLE' }, 'historical state unavailable')
  for (const { address, slots } of accounts) {
    const { accountProof, storageProof } = await retryMissesMaybe(() => state.prove(address, slots), residency)
    for (const node of accountProof) witness.node(node)
    for (const { proof } of storageProof) for (const node of proof) witness.node(node)
    witness.code(await retryMissesMaybe(() => state.getCode(address), residency))
    if (slicer?.isDue === true) await slicer.yield()
  }
}

/** The header of a block, and those down to the child of an ancestor, whose hash it names. */
function headersDownTo(chain: ChainReader, block: ChainHeader, oldest: bigint | undefined): ChainHeader[] {
  const headers = [block]
  for (let last = block; oldest !== undefined && last.header.number > oldest + 1n; ) {
    const parent = chain.parentOf(last)
    if (parent === undefined) throw new NodeError({ code: 'BLOCK_NOT_FOUND' }, 'header not found')
    headers.push(parent)
    last = parent
  }
  return headers
}

class Witness {
  readonly #nodes = new Set<string>()
  readonly #codes = new Set<string>()
  readonly #headers = new Set<string>()
  readonly #known: KnownParts
  #bytes = 0

  constructor(known: KnownParts) {
    this.#known = known
  }

  get parts(): Pick<CallWitness, 'nodes' | 'codes' | 'headers'> {
    return { nodes: [...this.#nodes], codes: [...this.#codes], headers: [...this.#headers] }
  }

  node(rlp: Uint8Array): void {
    this.#add(this.#nodes, rlp)
  }

  code(code: Uint8Array): void {
    if (code.length > 0) this.#add(this.#codes, code)
  }

  header(rlp: Uint8Array): void {
    this.#add(this.#headers, rlp)
  }

  #add(set: Set<string>, bytes: Uint8Array): void {
    const text = bytesToHex(bytes)
    if (set.has(text) || (!this.#known.isEmpty && this.#known.has(keccak256(bytes)))) return
    set.add(text)
    this.#bytes += bytes.length
    if (this.#bytes <= MAX_WITNESS_BYTES) return
    throw new NodeError({ code: 'RESPONSE_TOO_LARGE' }, `the witness of the call exceeds ${MAX_WITNESS_BYTES} bytes`)
  }
}
