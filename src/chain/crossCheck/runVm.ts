/**
 * Executes a block with `@ethereumjs/vm`. Loaded only for cross-checks.
 * @module
 */

import { createBlockFromRLP, paramsBlock, type Block as VmBlock } from '@ethereumjs/block'
import { NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import { paramsTx } from '@ethereumjs/tx'
import type { Address } from '@ethereumjs/util'
import { createVM, paramsVM, type RunBlockResult, runBlock, type TxReceipt } from '@ethereumjs/vm'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { installKzg } from '../../evm/reference/kzg.ts'
import { PausableEvm } from '../../evm/reference/pausableEvm.ts'
import { precompileTable } from '../../evm/reference/precompileTable.ts'
import { prepareCommon } from '../../evm/reference/preparedCommon.ts'
import type { PreparedCommon } from '../../evm/reference/preparedTypes.ts'
import { RunControl } from '../../evm/reference/runControl.ts'
import { StateAdapter } from '../../evm/reference/stateAdapter.ts'
import type { MutableState } from '../../state/contract.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { encodeBlock } from '../../types/blockCodec.ts'
import type { Receipt } from '../../types/receipt.ts'
import { GAS_PER_BLOB } from '../fees.ts'
import type { CrossCheckInput, PreStateAccount } from './input.ts'
import { RecordingState } from './recordingState.ts'
import type { ComparedOutcome } from './summary.ts'

export interface VmRun {
  readonly outcome: ComparedOutcome
  readonly preState: Record<string, PreStateAccount>
  readonly blockHashes: Record<string, string>
}

/** Longest extra data that the package accepts; execution does not depend on it. */
const MAX_EXTRA_DATA_BYTES = 32
/** A clock that does not advance, so that the run never yields. */
const FROZEN_CLOCK = { now: () => 0, monotonic: () => 0 }

export async function runVm(input: CrossCheckInput): Promise<VmRun> {
  const recording = new RecordingState(input.state)
  const control = new RunControl(FROZEN_CLOCK)
  const adapter = new VmStateAdapter(recording, control, input)
  const blockHashes: Record<string, string> = {}
  const execute = () => runOnce(input, adapter, control, blockHashes)
  const outcome = await untilDone(execute, control, input)
  return { outcome, preState: recording.preState(), blockHashes }
}

/** Runs to completion, loading missing data from the store. */
async function untilDone(
  execute: () => Promise<ComparedOutcome>,
  control: RunControl,
  { residency }: CrossCheckInput,
): Promise<ComparedOutcome> {
  let outcome: ComparedOutcome | undefined
  const start = async () => {
    outcome = await execute()
    return { kind: 'paused' } as const
  }
  for (;;) {
    const status = await control.resume(1, start)
    if (outcome !== undefined) return outcome
    if (status.kind !== 'missing') continue
    const { request } = status
    if (residency === undefined) throw new TypeError('a store that is not resident needs a residency')
    await residency.load(request)
  }
}

async function runOnce(
  input: CrossCheckInput,
  adapter: VmStateAdapter,
  control: RunControl,
  blockHashes: Record<string, string>,
): Promise<ComparedOutcome> {
  const prepared = prepareVmCommon(input)
  if (input.rules.eips.has(4844)) await installKzg(prepared.common.customCrypto)
  const blockchain = blockchainOf(input, adapter, blockHashes)
  const curves = { bn254: new NobleBN254(), bls: new NobleBLS() }
  const precompiles = precompileTable(prepared, undefined, input.dev)
  const evm = new PausableEvm(prepared, adapter, blockchain, control, curves, precompiles)
  const vm = await createVM({ common: prepared.common, stateManager: adapter, blockchain, evm })
  let result: RunBlockResult
  try {
    result = await runBlock(vm, {
      block: vmBlock(input, prepared),
      generate: true,
      skipBlockValidation: true,
      skipHeaderValidation: true,
      skipHardForkValidation: true,
    })
  } catch (error) {
    if (adapter.failure !== undefined) throw adapter.failure.error
    return { kind: 'invalid', reason: error instanceof Error ? error.message : String(error) }
  }
  await payRewards(input)
  return {
    kind: 'executed',
    gasUsed: result.gasUsed,
    logsBloom: result.logsBloom,
    requests: result.requests?.filter((request) => request.data.length > 0).map((request) => request.bytes),
    receipts: result.receipts.map(receiptOf),
  }
}

/**
 * Pays the rewards of the consensus engine. The package supports only proof-of-work rewards and pays none.
 */
async function payRewards({ state, block, rules, engine, residency }: CrossCheckInput): Promise<void> {
  await retryMisses(() => {
    state.checkpoint()
    try {
      engine.finalize(state, block, rules)
    } catch (error) {
      state.revert()
      throw error
    }
    state.endSection()
  }, residency)
  const clearEmpty = rules.eips.has(161)
  await retryMisses(() => state.endTransaction({ selfDestructs: [], clearEmpty }), residency)
}

function prepareVmCommon({ rules, config, dev }: CrossCheckInput): PreparedCommon {
  const { blobs } = rules
  const values = new Map<string, bigint>()
  if (blobs !== undefined) {
    values.set('targetBlobGasPerBlock', blobs.target * GAS_PER_BLOB)
    values.set('maxBlobGasPerBlock', blobs.max * GAS_PER_BLOB)
    values.set('blobGasPriceUpdateFraction', blobs.baseFeeUpdateFraction)
  }
  const tables = [paramsVM, paramsTx, paramsBlock]
  const prepared = prepareCommon(rules, dev?.chainId ?? config.chainId, config.options.contractSizeLimit, {
    tables,
    values,
  })
  const { daoForkBlock, depositContractAddress } = config.options
  const isDao = (hardfork: string): boolean => hardfork === 'dao' && daoForkBlock !== undefined
  Object.assign(prepared.common, {
    // Under proof of work, the package would create the beneficiary even for a reward of zero.
    consensusType: () => 'none',
    hardforkIsActiveOnBlock: (hardfork: string, number: bigint) => isDao(hardfork) && number >= (daoForkBlock ?? 0n),
    hardforkBlock: (hardfork: string) => (isDao(hardfork) ? daoForkBlock : 0n),
  })
  if (depositContractAddress !== undefined) {
    prepared.common['_chainParams'].depositContractAddress = bytesToHex(depositContractAddress) as `0x${string}`
  }
  return prepared
}

function vmBlock({ block, engine }: CrossCheckInput, { common }: PreparedCommon): VmBlock {
  const { header } = block
  const extraData = header.extraData.length > MAX_EXTRA_DATA_BYTES ? EMPTY_BYTES : header.extraData
  const encoded = encodeBlock({
    ...block,
    ommers: block.ommers.map((ommer) => ({ ...ommer, extraData: EMPTY_BYTES })),
    header: { ...header, extraData, beneficiary: engine.author(header) },
  })
  return createBlockFromRLP(encoded, { common, skipConsensusFormatValidation: true })
}

function blockchainOf(
  input: CrossCheckInput,
  adapter: VmStateAdapter,
  asked: Record<string, string>,
): ConstructorParameters<typeof PausableEvm>[2] {
  const getBlock = async (number: number) => {
    const hash = await adapter.resident(() => input.blockHash(BigInt(number)))
    if (hash !== undefined) asked[number] = bytesToHex(hash)
    return { hash: () => hash ?? new Uint8Array(32) }
  }
  return { getBlock, putBlock: async () => {}, shallowCopy: () => blockchainOf(input, adapter, asked) }
}

function receiptOf(receipt: TxReceipt): Pick<Receipt, 'status' | 'postState' | 'cumulativeGasUsed' | 'logs'> {
  return {
    cumulativeGasUsed: receipt.cumulativeBlockGasUsed,
    logs: receipt.logs.map(([address, topics, data]) => ({ address, topics, data })),
    ...('stateRoot' in receipt ? { postState: receipt.stateRoot } : { status: receipt.status === 1 }),
  }
}

/** The state adapter for whole blocks: adds state roots, and resolves original storage values per transaction. */
class VmStateAdapter extends StateAdapter {
  readonly #state: MutableState
  readonly #original = new Map<string, Uint8Array>()

  constructor(recording: RecordingState, control: RunControl, { state, rules }: CrossCheckInput) {
    super(recording, control, rules)
    this.#state = state
  }

  override readonly originalStorageCache: StateAdapter['originalStorageCache'] = {
    get: async (address: Address, key: Uint8Array) => {
      const id = `${address.toString()}/${bytesToHexUnprefixed(key)}`
      const originalValue = this.#original.get(id)
      if (originalValue !== undefined) return originalValue
      const value = await this.getStorage(address, key)
      this.#original.set(id, value)
      return value
    },
    clear: () => this.#original.clear(),
  }

  override getStateRoot(): Promise<Uint8Array> {
    return this.resident(() => this.#state.rootHash())
  }
}
