/**
 * The call of a contract by which a consensus engine learns what it needs for the next block, such as the validators.
 * @module
 */
import type { ChainConfig } from '../config/chainConfig.ts'
import type { ConsensusEngine, ConsensusSchedule, ParentCall, ParentCallResult } from '../consensus/engine.ts'
import { runMessage } from '../evm/driver.ts'
import type { Evm } from '../evm/evm.ts'
import type { ExecutionScheduler } from '../evm/scheduler.ts'
import type { Residency } from '../ports/keyValueStore.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import { ancestorHashes } from './ancestorHashes.ts'
import type { BlockStore } from './blockStore.ts'
import type { ChainHeader } from './contract.ts'

const ZERO_ADDRESS = new Uint8Array(20)
/** Cost of a transaction and of the non-zero bytes of its data: what remains of the block's gas is for the call. */
const TRANSACTION_GAS = 21_000n
const DATA_BYTE_GAS = 16n

export interface ParentCallModules {
  readonly config: ChainConfig
  readonly states: StateStore
  readonly evm: Evm
  readonly consensus: ConsensusSchedule
  readonly residency?: Residency | undefined
  readonly scheduler?: ExecutionScheduler | undefined
}

export interface ParentCallPlace {
  readonly parent: ChainHeader
  readonly blocks: Pick<BlockStore, 'header' | 'isCanonical' | 'canonicalHash'>
  readonly stage?: StagedStore | undefined
}

/**
 * Calls a contract on the state after a block, in the environment of that block. Nothing is written.
 * @returns undefined when the engine needs no call or the state is not available
 */
export function callOnParent(
  engine: ConsensusEngine,
  place: ParentCallPlace,
  modules: ParentCallModules,
): Promise<ParentCallResult> | undefined {
  const call = engine.parentCall?.()
  return call === undefined || place.parent.stateRoot.isMissing === true ? undefined : run(call, place, modules)
}

async function run(
  { to, data }: ParentCall,
  { parent, blocks, stage }: ParentCallPlace,
  { config, states, evm, consensus, residency, scheduler }: ParentCallModules,
): Promise<ParentCallResult> {
  const { header } = parent
  const spent = TRANSACTION_GAS + DATA_BYTE_GAS * BigInt(data.length)
  const gas = header.gasLimit > spent ? header.gasLimit - spent : 0n
  const hashOf = ancestorHashes(parent, blocks, (hash) => blocks.header(hash))
  const state = states.mutable(parent.stateRoot, stage)
  state.beginTransaction()
  const result = await runMessage(
    evm,
    { caller: ZERO_ADDRESS, to, value: 0n, data, gas },
    {
      chainId: config.chainId,
      rules: config.rulesAt(header),
      contractSizeLimit: config.options.contractSizeLimit,
      block: {
        number: header.number,
        timestamp: header.timestamp,
        beneficiary: consensus.claimedBy(header).author(header),
        gasLimit: header.gasLimit,
        difficulty: header.difficulty,
        prevRandao: header.mixHash,
        baseFeePerGas: header.baseFeePerGas,
        excessBlobGas: header.excessBlobGas,
        // BLOCKHASH covers the blocks below the environment's own.
        blockHash: (number) => (number >= header.number ? undefined : hashOf(number)),
      },
      transaction: { origin: ZERO_ADDRESS, gasPrice: 0n, blobVersionedHashes: [], accessList: [], warmAddresses: [] },
    },
    state,
    { residency, scheduler },
  )
  return result.outcome === 'success'
    ? { kind: 'returned', output: result.output }
    : { kind: 'failed', reason: result.halt ?? 'reverted' }
}
