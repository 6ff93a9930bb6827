// slow: recorded chains on both EVMs
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { rlpDecode } from '../../../src/base/primitives/rlp.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { loadCrossCheck, type MismatchReport } from '../../../src/chain/crossCheck.ts'
import type { ConsensusSchedule } from '../../../src/chain/engine.ts'
import type { BlockExecutionInput } from '../../../src/chain/transition/contract.ts'
import { executeBlock } from '../../../src/chain/transition/executeBlock.ts'
import type { ChainConfig } from '../../../src/config/chainConfig.ts'
import { type ForkName, forkRules } from '../../../src/config/forks.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { requireState } from '../../../src/state/errors.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { testClock } from '../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'
import {
  blockFile,
  importFile,
  openRecorded,
  RECORDED_CHAINS,
  type RecordedChain,
  recordedChainNamed,
} from '../../support/recorded/recordedChains.ts'
import { newWorldState } from '../../support/recorded/stateTests.ts'

interface Imported {
  readonly chain: Chain
  readonly states: StateStore
  readonly consensus: ConsensusSchedule
}

async function imported(recorded: RecordedChain): Promise<Imported> {
  const kv = new MemoryStore()
  const chain = await openRecorded(recorded, { kv })
  await importFile(chain, [blockFile(recorded)], { verifySeal: false })
  return { chain, states: new StateStore(kv), consensus: createSchedule(chain.config) }
}

function inputOf({ chain, states, consensus }: Imported, block: ChainHeader, parent: ChainHeader, evm: Evm) {
  const { header, hash } = block
  const body = chain.body(hash)
  if (body === undefined) throw new Error('no body')
  return (): BlockExecutionInput => ({
    config: chain.config,
    rules: chain.config.rulesAt(header),
    block: { header, ...body },
    senders: chain.senders(hash) ?? [],
    state: states.mutable(requireState(parent.stateRoot)),
    evm,
    engine: consensus.claimedBy(header),
    keepRevertReasons: false,
    blockHash: (number) => chain.canonicalHash(Number(number)),
  })
}

async function check(chain: Imported, number: number, evm: Evm): Promise<MismatchReport | undefined> {
  const [block, parent] = [chain.chain.headerByNumber(number), chain.chain.headerByNumber(number - 1)]
  if (block === undefined || parent === undefined) throw new Error(`no block ${number}`)
  const newInput = inputOf(chain, block, parent, evm)
  const ours = newInput()
  const outcome = await executeBlock(ours)
  const crossCheck = await loadCrossCheck()
  return crossCheck({
    ...newInput(),
    outcome,
    stateRoot: ours.state.rootHash(),
    parentStateRoot: parent.stateRoot.hash,
  })
}

/** Charges one unit of gas too little wherever code runs. */
function wrongEvm(evm: Evm): Evm {
  return {
    name: 'native',
    start: (message, environment, state, options) => {
      const execution = evm.start(message, environment, state, options)
      return {
        resume: async (sliceMs) => {
          const status = await execution.resume(sliceMs)
          if (status.kind !== 'done' || status.result.gasLeft === 0n || message.gas === status.result.gasLeft)
            return status
          return { kind: 'done', result: { ...status.result, gasLeft: status.result.gasLeft - 1n } }
        },
      }
    },
  }
}

/** The long runs check all recorded chains. */
const CHECKED = ['besu/trace', 'besu/osaka']

describe('the cross-check', () => {
  for (const recorded of RECORDED_CHAINS.filter(({ folder }) => CHECKED.includes(folder))) {
    it.each([
      ['reference', loadReferenceEvm],
      ['native', loadTestNativeEvm],
    ])(`agrees with the %s EVM on ${recorded.folder}`, { timeout: 60_000 }, async (_, loadEvm) => {
      const evm = await loadEvm(testClock)
      const chain = await imported(recorded)
      const disagreements: string[] = []
      for (let number = 1; number <= recorded.blocks; number++) {
        const report = await check(chain, number, evm)
        for (const line of report?.differences ?? []) disagreements.push(`block ${number}: ${line}`)
      }
      expect(disagreements).toEqual([])
    })
  }

  const trace = recordedChainNamed('besu/trace')
  it('reports the differences and everything needed to run the block again', async () => {
    const reference = await loadReferenceEvm(testClock)
    const chain = await imported(trace)
    let report: MismatchReport | undefined
    for (let number = 1; report === undefined; number++) report = await check(chain, number, wrongEvm(reference))
    expect(report.differences.join()).toContain('cumulative gas after transaction')

    const replayed = JSON.parse(JSON.stringify(report)) as MismatchReport
    expect(await replay(replayed, chain.chain.config, wrongEvm(reference))).toEqual(report.ours)
    expect(await replay(replayed, chain.chain.config, reference)).toEqual(report.theirs)
  })
})

/** Receipts and gas of a report. The state root is ignored, because the report holds only part of the state. */
async function replay(report: MismatchReport, config: ChainConfig, evm: Evm): Promise<unknown> {
  const { state } = newWorldState()
  state.beginTransaction()
  for (const [key, { balance, nonce, code, storage }] of Object.entries(report.preState)) {
    const address = hexToBytes(key)
    state.setBalance(address, BigInt(balance))
    state.setNonce(address, BigInt(nonce))
    if (code !== undefined) state.setCode(address, hexToBytes(code))
    for (const [slot, value] of Object.entries(storage)) state.setStorage(address, hexToBytes(slot), hexToBytes(value))
  }
  state.endTransaction({ selfDestructs: [], clearEmpty: false })
  const block = decodeBlock(rlpDecode(hexToBytes(report.block)))
  const outcome = await executeBlock({
    config,
    rules: forkRules(report.fork as ForkName),
    block,
    senders: report.senders.map(hexToBytes),
    state,
    evm,
    engine: createSchedule(config).claimedBy(block.header),
    keepRevertReasons: false,
    blockHash: (number) => {
      const hash = report.blockHashes[number.toString()]
      return hash === undefined ? undefined : hexToBytes(hash)
    },
  })
  const { summarize } = await import('../../../src/chain/crossCheck/summary.ts')
  const original = report.ours.kind === 'executed' ? report.ours : undefined
  const summary = summarize(outcome, new Uint8Array(32))
  const root = evm.name === 'native' ? original?.stateRoot : (report.theirs as { stateRoot: string }).stateRoot
  return { ...summary, stateRoot: root }
}
