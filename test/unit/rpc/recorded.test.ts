// slow: all recorded requests
/** Recorded chains: the methods of eth, net, web3, debug, trace, miner, txpool and clique answer as recorded. */
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { RpcProfile } from '../../../src/api/profile.ts'
import { needsData } from '../../support/host/needsData.ts'
import { conformancePath, recordedPath } from '../../support/recorded/conformance.ts'
import { recordedCases, runCase } from '../../support/recorded/recordedCases.ts'
import { openRecordedChain, type RecordedChain } from '../../support/recorded/recordedRpc.ts'

interface RecordedSet {
  readonly folder: string
  readonly blocks?: string
  readonly profile?: RpcProfile
  readonly networkId?: bigint
  readonly minGasPrice?: bigint
  readonly revertReasons?: boolean
  /** Cases that are known to fail, with the reason. */
  readonly deviations?: Readonly<Record<string, string>>
}

const SIMULATE = 'cases-extra/eth_simulateV1'
const BLOCK_TIMESTAMP = 'logs and transactions have no blockTimestamp, which older answers contradict'

const SETS: readonly RecordedSet[] = [
  { folder: 'besu/frontier', blocks: 'blocks.bin', networkId: 123n, minGasPrice: 0n },
  { folder: 'besu/shanghai', blocks: 'blocks.bin', minGasPrice: 0n },
  { folder: 'besu/cancun', blocks: 'blocks.bin' },
  { folder: 'besu/trace', blocks: 'blocks.bin', revertReasons: true },
  { folder: 'besu/london', blocks: 'blocks.bin' },
  { folder: 'besu/access-list', blocks: 'blocks.bin' },
  { folder: 'besu/mainnet-1000', blocks: 'blocks.bin' },
  { folder: 'besu/fork-outdated', blocks: 'blocks.bin' },
  { folder: 'besu/fork-upgraded', blocks: 'blocks.bin' },
  { folder: 'besu/snap', blocks: 'blocks.bin' },
  {
    folder: 'besu/simulate',
    blocks: 'blocks.bin',
    deviations: {
      [`${SIMULATE}/eth_simulateV1-trie-log.json`]: 'trie logs are a format of another client',
      [`${SIMULATE}/eth_simulateV1-code-delegation.json`]: 'with validation, a call without a price is refused',
      [`${SIMULATE}/eth_simulateV1-code-delegation-with-authority.json`]:
        'an authorization takes effect by its signature',
    },
  },
  { folder: 'besu/osaka', blocks: 'blocks.bin' },
  { folder: 'besu/pos-set-head', blocks: 'blocks.bin' },
  { folder: 'besu/pos-replay-block', blocks: 'blocks.bin' },
  { folder: 'besu/pos-get-block-by', blocks: 'blocks.bin' },
  { folder: 'besu/clique', blocks: 'blocks.bin' },
  { folder: 'besu/clique-votes', blocks: 'blocks.bin' },
  { folder: 'besu/clique-live', blocks: 'blocks.bin' },
  { folder: 'besu/dev' },
  {
    folder: 'execution-apis',
    blocks: 'chain.rlp',
    profile: 'geth',
    deviations: {
      'cases-extra/eth_capabilities/get-capabilities.io': 'logs are kept for ever, so there is no retention',
      'cases-extra/eth_getBlockReceipts/get-block-receipts-latest.io': BLOCK_TIMESTAMP,
      'cases-extra/eth_getTransactionByHash/get-blob-tx.io': BLOCK_TIMESTAMP,
      [`${SIMULATE}/ethSimulate-use-as-many-features-as-possible.io`]: 'logs of calls that failed take no log index',
    },
  },
  {
    folder: 'execution-apis-cancun',
    blocks: 'chain.rlp',
    profile: 'geth',
    deviations: {
      'cases-extra/eth_feeHistory/fee-history.io': 'the next block has no excess blob gas: its blob base fee is 1',
    },
  },
]

const WORK = /eth_getWork|eth_submit/
/** Groups of conversations. */
const CONVERSATIONS: readonly string[] = ['filters', 'transaction_pool', 'miner']
const DEBUG = /^debug_/
/** Cases of other methods in the group of an idle node. */
const IDLE = /(eth|miner|net|txpool|web3)_\w+\.json$/

const inScope = (group: string): boolean =>
  group === 'idle' ||
  CONVERSATIONS.includes(group) ||
  (/^(clique|eth|miner|net|trace|txpool|web3)_/.test(group) && !WORK.test(group)) ||
  DEBUG.test(group)

const isTrace = (group: string): boolean => group.startsWith('debug_trace')

const only = process.env['ISONODE_RECORDED']
const totals = { passed: 0, failed: 0 }

it('every chain has recorded answers', needsData(...SETS.map(({ folder }) => `${folder}/cases`)), () => {
  for (const { folder } of SETS)
    expect(
      recordedCases(recordedPath(folder, 'cases'), () => true),
      folder,
    ).not.toEqual([])
})

for (const set of SETS) {
  if (conformancePath(set.folder, 'cases') === undefined) continue
  if (only !== undefined && !set.folder.includes(only)) continue
  describe(`recorded answers: ${set.folder}`, () => {
    let opened: Promise<RecordedChain> | undefined
    const open = (): Promise<RecordedChain> => {
      const { blocks, ...options } = set
      opened ??= openRecordedChain({
        ...options,
        genesisFile: recordedPath(set.folder, 'genesis.json'),
        blocksFile: blocks && recordedPath(set.folder, blocks),
        forkChoiceFile: conformancePath(set.folder, 'headfcu.json'),
      })
      return opened
    }
    // Where go-ethereum contradicts Besu, the profile `geth` follows go-ethereum.
    for (const kind of ['cases', 'cases-extra', ...(set.profile === 'geth' ? ['cases-conflict'] : [])]) {
      const directory = conformancePath(set.folder, kind)
      if (directory === undefined) continue
      for (const entry of recordedCases(directory, kind === 'cases-conflict' ? isTrace : inScope)) {
        if (entry.group === 'idle' && !IDLE.test(entry.file)) continue
        const name = `${kind}/${entry.group}/${path.basename(entry.file)}`
        it(name, async () => {
          const { send } = await open()
          const difference = await runCase(entry, send)
          totals[difference === undefined ? 'passed' : 'failed']++
          const deviation = set.deviations?.[name]
          if (deviation === undefined) expect(difference).toBeUndefined()
          else expect(difference, `now as recorded, although: ${deviation}`).toBeDefined()
        })
      }
    }
  })
}

afterAll(() => {
  console.log(`recorded answers: ${totals.passed} as recorded, ${totals.failed} not`)
})
