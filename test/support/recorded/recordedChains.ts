/** The recorded chains with proof of work, proof of stake or Clique. */
import { readFileSync } from 'node:fs'
import type { TestOptions } from 'vitest'
import type { Residency } from '../../../src/base/ports/keyValueStore.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { type ImportPipelineOptions, importBlocks } from '../../../src/chain/import.ts'
import type { ImportReport } from '../../../src/chain/importReport.ts'
import type { ChainConfig } from '../../../src/config/chainConfig.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { openTestChain, TEST_CLOCK, TEST_SENDERS, type TestChainOptions } from '../chains/testChain.ts'
import { needsData } from '../host/needsData.ts'
import { recordedPath } from './conformance.ts'

export interface RecordedChain {
  readonly folder: string
  readonly file: string
  readonly head: string
  /** Number of blocks, excluding genesis. */
  readonly blocks: number
  /** Whether the seals in the file are empty. */
  readonly withoutSeals?: boolean
}

const besu = (name: string, blocks: number, head: string, withoutSeals = false): RecordedChain => ({
  folder: `besu/${name}`,
  file: 'blocks.bin',
  blocks,
  head,
  withoutSeals,
})

export const RECORDED_CHAINS: readonly RecordedChain[] = [
  besu('frontier', 32, '0x71d59849ddd98543bdfbe8548f5eed559b07b8aaf196369f39134500eab68e53'),
  besu('shanghai', 33, '0x30e688f50392780a71899dcb4c35997f5c1d168cf90306d8e6919ea805097810'),
  besu('cancun', 34, '0x4859ea10d276f6df988eabd48a02e0696cfd3deb769d2a5e0e416a5f3191028a'),
  besu('trace', 33, '0x156fa7f1633c5dd82d41b7c7d79049f620b25638ca87da137d13e1a27a210e49'),
  besu('london', 5, '0x03290a909cff32be9ce85f27c50570e9a94212dfb212c15f7a15cbdda70a7abc'),
  besu('access-list', 3, '0x1ec8dde1f5bd29b8fb4c206d6c23924f0b6681951ca90653689995c0c59ffa6f'),
  besu('fork-outdated', 10, '0xfee4cb230625ef62fa98d9b51f5ae8a6c37077c1cd932e7a2b6012325d7b8688'),
  besu('fork-upgraded', 10, '0xba10c781a48988938935606a37f2aec2a7bb8aff3648ef0c8f0f3629611c07db'),
  besu('snap', 500, '0x36a166f0dcd160fc5e5c61c9a7c2d7f236d9175bf27f43aaa2150e291f092ef7', true),
  besu('simulate', 45, '0xaf51811799f22260e5b4e1f95504dae760505f102dcb2e9ca7d897d8a40124a1', true),
  besu('osaka', 34, '0x767faa256232c7b42ca3c9ccb7d0edb763c6c648198e7628b713a778fe213732'),
  besu('pos-set-head', 2, '0x80732341439dd124df94271386141735f13ef8a85e12e9fba15c06bc1ad9fd73'),
  besu('pos-replay-block', 2, '0x80732341439dd124df94271386141735f13ef8a85e12e9fba15c06bc1ad9fd73'),
  besu('pos-get-block-by', 3, '0x77edeba4adb3cb3e365fccb48393c8445a5c4c6648ec660806c2ce1e9de13fd3'),
  besu('clique', 4, '0xae48cf1ec1ba9ca96eb32fdac8b00ee22880e508fdb2aac93774b43a701aec1c'),
  besu('clique-votes', 24, '0x3c768b660ffe29e4b535cc2bd099096a7d0d0fdd0b1f3b9a6c60c8f60bd11188'),
  besu('clique-live', 32, '0xcb36fddba585be07efec9bfdc78fd87bd2b60d2b14c92a2d463cd77d886927c8'),
  {
    folder: 'execution-apis',
    file: 'chain.rlp',
    blocks: 54,
    head: '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7',
    withoutSeals: true,
  },
  {
    folder: 'execution-apis-cancun',
    file: 'chain.rlp',
    blocks: 20,
    head: '0x8f64c4436f7213cfdf02cfb9f45d012f1774dfb329b8803de5e7479b11586902',
  },
]

/** @throws {RangeError} for a chain that is not listed */
export function recordedChainNamed(name: string): RecordedChain {
  const found = RECORDED_CHAINS.find(({ folder }) => folder === name)
  if (found === undefined) throw new RangeError(`no recorded chain ${name}`)
  return found
}

export const MAINNET_1000: RecordedChain = besu(
  'mainnet-1000',
  999,
  '0xc31b362e591aa07faa977dbc492ae43cd47eef291920435153bbbf3acaf2fc2f',
)

/** Real seals of ethash, which take seconds to verify. */
export const POW_LIVE: RecordedChain = besu(
  'pow-live',
  13,
  '0x5797e4de090686c291d974defed6830e438def6ac909ee5787341c8a25fbed90',
)

/** Options of a test that needs this chain. */
export function needsChain({ folder, file }: RecordedChain): TestOptions {
  return needsData(`${folder}/${file}`)
}

/** Content of the whole file. */
export function blockFile({ folder, file }: RecordedChain): Uint8Array {
  return new Uint8Array(readFileSync(recordedPath(folder, file)))
}

function genesisText({ folder }: RecordedChain): string {
  return readFileSync(recordedPath(folder, 'genesis.json'), 'utf8')
}

export function recordedConfig(recorded: RecordedChain): ChainConfig {
  return parseGenesisFile(genesisText(recorded)).config
}

/** Opens a chain that contains only the genesis block. */
export function openRecorded(
  recorded: RecordedChain,
  options: Pick<TestChainOptions, 'kv' | 'clock' | 'residency' | 'states' | 'scheduler' | 'logger'> = {},
): Promise<Chain> {
  const text = genesisText(recorded)
  const genesis = parseGenesisFile(text)
  return openTestChain({
    ...options,
    config: genesis.config,
    genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
  })
}

/** @param file chunks of bytes, as read from a file */
export function importFile(
  chain: Chain,
  file: Iterable<Uint8Array>,
  options: Omit<ImportPipelineOptions, 'blocks'> = {},
  residency?: Residency,
): Promise<ImportReport> {
  const modules = { chain, senders: TEST_SENDERS, clock: TEST_CLOCK, ...(residency === undefined ? {} : { residency }) }
  return importBlocks(modules, { ...options, blocks: readBlocks(file) })
}

/** Splits bytes into chunks of `length` bytes. */
export function* inPieces(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length)
}
