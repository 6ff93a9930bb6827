import { type BlockNumberOrTagOrHash, LATEST } from '../../../api/blockReference.ts'
import type { CallSimulator } from '../../../api/calls/contract.ts'
import type { ForkAccess } from '../../../api/forkAccess.ts'
import { requireHeader, type StateQuery, stateAt } from '../../../api/lookup.ts'
import { MAX_STORAGE_VALUES } from '../../../base/limits/limits.ts'
import type { Residency } from '../../../base/ports/keyValueStore.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import type { AbortState } from '../../../evm/driver.ts'
import type { AccountProof, StateReader } from '../../../state/contract.ts'
import { retryMissesMaybe } from '../../../storage/retryMisses.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import {
  givenKey,
  type ProofView,
  proof,
  type StorageKey,
  slotProof,
  storageKey,
  trimmedKey,
} from '../../codecs/proof.ts'
import { address } from '../../codecs/scalars.ts'
import { storageRequest, storageValues } from '../../codecs/storageValues.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { ACCOUNT, STATE_BLOCK } from '../support/parameterTexts.ts'
import { BLOCK_ERRORS } from './state.ts'

export const getStorageValues: MethodDefinition<StateQuery> = defineMethod({
  name: 'eth_getStorageValues',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Values of several slots of several accounts, in the requested order.',
  params: [
    param(
      'requests',
      storageRequest,
      `Lists of slots by address, at most ${MAX_STORAGE_VALUES} in all. A slot has up to 32 bytes.`,
    ),
    optional('block', blockNumberOrTagOrHash, STATE_BLOCK),
  ],
  result: result('values', storageValues),
  errors: [...BLOCK_ERRORS, 'WORLD_STATE_UNAVAILABLE'],
  handler: (backend: StateQuery, [requests, block]) => {
    const state = requireState(stateAt(backend, block))
    return requests.map(({ address: account, slots }) => ({
      address: account,
      values: slots.map((slot) => state.getStorage(account, slot)),
    }))
  },
})

/** Number of slots that are proven without a yield: some milliseconds of work. */
const MAX_EAGER_PROOFS = 512
/** Number of slots of a longer list that are proven between two checks of the clock. */
const PROOFS_PER_CHECK = 128

interface ProofQuery extends StateQuery {
  readonly calls: Pick<CallSimulator, 'slicer'>
  readonly residency?: Residency | undefined
  readonly fork?: Pick<ForkAccess, 'block' | 'prove'> | undefined
}

export const getProof: MethodDefinition<ProofQuery> = defineMethod({
  name: 'eth_getProof',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Merkle proof of an account and of storage slots (EIP-1186).',
  params: [
    param('address', address, ACCOUNT),
    param('storageKeys', arrayOf(storageKey), 'Slots to prove, up to 32 bytes each; may be empty.'),
    optional('block', blockNumberOrTagOrHash, STATE_BLOCK),
  ],
  result: result('proof', proof),
  errors: [...BLOCK_ERRORS, 'WORLD_STATE_UNAVAILABLE', 'NO_ACCOUNT_FOUND', 'TIMEOUT'],
  handler: (backend: ProofQuery, [account, keys, block], context) => {
    const isBesu = backend.options.profile === 'besu'
    const isLong = keys.length > MAX_EAGER_PROOFS
    const viewOf = (answer: AccountProof): ProofView => {
      if (answer.account !== undefined || !isBesu)
        return { address: account, proof: answer, keys: keys.map(isBesu ? trimmedKey : givenKey) }
      throw new NodeError({ code: 'NO_ACCOUNT_FOUND' }, 'account not found')
    }
    const slots = keys.map(({ slot }) => slot)
    const remote = remoteProof(backend, block, account, slots)
    if (remote !== undefined) return remote.then(viewOf)
    const state = requireState(stateAt(backend, block))
    const view = viewOf(state.prove(account, isLong ? [] : slots))
    if (!isLong) return view
    return new StreamedResult((out) => writeProofs(backend, state, view, keys, out, context))
  },
})

/** A proof by the remote of a fork; undefined: the block is local. */
function remoteProof(
  { chain, fork }: ProofQuery,
  block: BlockNumberOrTagOrHash | undefined,
  account: Uint8Array,
  slots: readonly Uint8Array[],
): Promise<AccountProof> | undefined {
  if (fork === undefined) return undefined
  const header = requireHeader(chain, block ?? LATEST)
  return Number(header.header.number) > fork.block.number ? undefined : fork.prove(header, account, slots)
}

/** Writes the answer with its storage proofs in time slices. @throws {NodeError} TIMEOUT */
async function writeProofs(
  { calls, residency }: ProofQuery,
  state: StateReader,
  view: ProofView,
  keys: readonly StorageKey[],
  out: JsonWriter,
  context: AbortState,
): Promise<void> {
  const slicer = calls.slicer()
  // The list of storage proofs is the last member.
  out.ascii(JSON.stringify(proof.serialize(view)).slice(0, -']}'.length))
  for (let from = 0; from < keys.length; from += PROOFS_PER_CHECK) {
    const slots = keys.slice(from, from + PROOFS_PER_CHECK).map(({ slot }) => slot)
    const { storageProof } = await retryMissesMaybe(() => state.prove(view.address, slots), residency)
    const entries = storageProof.map((entry, i) => slotProof(entry, view.keys[from + i] as string))
    if (from > 0) out.ascii(',')
    out.ascii(JSON.stringify(entries).slice(1, -1))
    if (out.isFull) await out.drained()
    if (slicer?.isDue === true) await slicer.yield()
    if (context.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
  }
  out.ascii(']}')
}

function requireState(state: StateReader | undefined): StateReader {
  if (state === undefined)
    throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'required historical state unavailable')
  return state
}
