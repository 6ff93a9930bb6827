/**
 * The storage of a contract by the names of its variables.
 * @module
 */
import { StorageHistory } from '../../abi/debug/storageHistory.ts'
import { StorageDecoder } from '../../abi/layout/decodeStorage.ts'
import { nameSlot } from '../../abi/layout/slotNames.ts'
import type { StorageLayout } from '../../abi/layout/storageLayout.ts'
import { decodeBudget, type Variable } from '../../abi/layout/variable.ts'
import { MAX_STORAGE_BLOCKS, MAX_STORAGE_MS, MAX_UNKNOWN_SLOTS } from '../../base/limits/limits.ts'
import { bigIntToBytesPadded, bytesToHex, isZeroBytes } from '../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../base/primitives/errors.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { StateReader } from '../../state/contract.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import type { BlockTracing, Tracer } from '../../tracing/contract.ts'
import type { BlockNumberOrTagOrHash } from '../blockReference.ts'
import type { Cancellation } from '../cancellation.ts'
import { requireHeader } from '../lookup.ts'
import { layoutOf } from './layoutOf.ts'
import { ContractResolver, type ContractsBackend } from './resolve.ts'

export interface StorageBackend extends ContractsBackend {
  readonly tracing: BlockTracing
}

export interface StorageView {
  readonly variables: readonly Variable[]
  /** Slots without a known variable, that are not zero; hex. */
  readonly unknown: readonly { readonly slot: string; readonly value: string }[]
  /** Whether all blocks that used the account have been searched for keys of mappings. */
  readonly isComplete: boolean
}

const WORD = 32

/**
 * @returns undefined for an account without code
 * @throws {NodeError} for an unknown block, or without its state
 */
export async function storageView(
  backend: StorageBackend,
  address: Uint8Array,
  block: BlockNumberOrTagOrHash,
  cancellation: Cancellation,
): Promise<StorageView | undefined> {
  const { contracts, chain, pending, residency } = backend
  await contracts.ready()
  const header = await retryMisses(() => requireHeader(chain, block, pending), residency)
  const resolver = new ContractResolver(backend, header)
  const contract = await resolver.at(address)
  if (contract === undefined) return undefined
  const layout = await layoutOf(contracts, contract, (behind) => resolver.at(behind))
  const history = new StorageHistory(address)
  const isComplete = await follow(backend, header, address, history, cancellation)
  return retryMisses(() => {
    const state = backend.states.at(header)
    if (state === undefined) throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'state unavailable')
    return { ...viewOf(layout, state, address, history), isComplete }
  }, residency)
}

/** Executes the newest blocks that used the account again. @returns whether these are all */
async function follow(
  { chain, tracing, residency }: StorageBackend,
  { header }: ChainHeader,
  address: Uint8Array,
  history: StorageHistory,
  { signal }: Cancellation,
): Promise<boolean> {
  const tracer: Tracer = { hooks: history.hooks, begin: () => {}, end: () => {} }
  const numbers: number[] = []
  let used = 0
  await retryMisses(() => {
    numbers.length = 0
    used = 0
    for (const number of chain.index.blocksWithAccounts([address], chain.lowestNumber + 1, Number(header.number))) {
      used++
      numbers.push(number)
      if (numbers.length > MAX_STORAGE_BLOCKS) numbers.shift()
    }
  }, residency)
  for (const number of numbers.reverse()) {
    const found = await retryMisses(() => chain.headerByNumber(number), residency)
    if (found === undefined || !tracing.canTrace(found)) return false
    try {
      await tracing.block(found, { tracerFor: () => tracer }, { signal, timeoutMs: MAX_STORAGE_MS })
    } catch (error) {
      // The state of an old block is gone, or its execution takes too long.
      if (!isNodeError(error) || signal?.aborted === true) throw error
      return false
    }
  }
  return used === numbers.length
}

function viewOf(
  layout: StorageLayout | undefined,
  state: StateReader,
  address: Uint8Array,
  { preimages, slots }: StorageHistory,
): Pick<StorageView, 'variables' | 'unknown'> {
  const read = (slot: bigint): Uint8Array => state.getStorage(address, bigIntToBytesPadded(slot, WORD))
  const decoder = new StorageDecoder({ read, entries: (slot) => preimages.entries(slot) }, decodeBudget())
  const variables = layout?.variables.map((each) => decoder.variable(each.name, each.type, each)) ?? []
  const unknown: { slot: string; value: string }[] = []
  for (const slot of slots) {
    if (unknown.length >= MAX_UNKNOWN_SLOTS) break
    if (layout !== undefined && nameSlot(layout, slot, preimages) !== undefined) continue
    const value = read(slot)
    if (!isZeroBytes(value))
      unknown.push({ slot: bytesToHex(bigIntToBytesPadded(slot, WORD)), value: bytesToHex(value) })
  }
  return { variables, unknown }
}
