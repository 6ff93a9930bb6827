/**
 * Chains that simulated peers serve: a long one, a shorter branch, and forged continuations. Built once per process, and
 * imported without checking seals.
 */
import type { SenderRecovery } from '../../../../src/base/ports/host.ts'
import type { KeyValueStore } from '../../../../src/base/ports/keyValueStore.ts'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../../src/chain/contract.ts'
import { parseGenesisFile } from '../../../../src/config/genesisFile.ts'
import type { Block, Header } from '../../../../src/types/block.ts'
import { encodeBlock, encodeBody } from '../../../../src/types/blockCodec.ts'
import { genesisBlock } from '../../../../src/types/genesisHeader.ts'
import { encodeHeader, hashHeader } from '../../../../src/types/headerCodec.ts'
import { installSimulationCrypto } from '../../../simulation/sharedRecovery.ts'
import { KnownSenders } from '../../../support/chains/knownSenders.ts'
import { openTestChain, type TestChainOptions } from '../../../support/chains/testChain.ts'
import { ALICE, BOB, planBlock, plannedOf, signed } from '../../../support/nodes/devChain.ts'

export interface ServedBlock {
  readonly header: Header
  readonly encoding: Uint8Array
  readonly hash: Uint8Array
  /** RLP */
  readonly body: Uint8Array
  readonly rlp: Uint8Array
}

/** Blocks by number, from genesis on. */
export type ServedChain = readonly ServedBlock[]

export interface Branches {
  readonly main: ServedChain
  /** Leaves the main chain after {@link FORK_BLOCK}, shorter. */
  readonly shorter: ServedChain
  /** Leaves the main chain after {@link EARLY_FORK_BLOCK}, shorter. */
  readonly early: ServedChain
  /** Leaves the main chain after {@link FORGED_BLOCK}; linked headers, but a wrong state root in the first block. */
  readonly forged: ServedChain
  /** The same with a difficulty that no rule allows. */
  readonly easy: ServedChain
  open(options?: Pick<TestChainOptions, 'kv' | 'clock'> & { readonly kv?: KeyValueStore }): Promise<Chain>
  readonly senders: SenderRecovery
}

export const MAIN_BLOCKS = 200
export const FORK_BLOCK = 150
const SHORTER_BLOCKS = 30
export const EARLY_FORK_BLOCK = 23
const EARLY_BLOCKS = 150
export const FORGED_BLOCK = 120
const FORGED_BLOCKS = 300
export const BLOCK_DIFFICULTY = 1000n

const GENESIS = JSON.stringify({
  config: { chainId: 31337, londonBlock: 0, ethash: { fixeddifficulty: Number(BLOCK_DIFFICULTY) } },
  difficulty: '0x1000',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x3b9aca00',
  timestamp: '0x60000000',
  alloc: Object.fromEntries([ALICE, BOB].map(({ address }) => [address, { balance: '0x3635c9adc5dea00000' }])),
})

/** Number of the last block before proof of stake in {@link mergedChains}. */
export const TERMINAL_BLOCK = 12
const STAKED_BLOCKS = 20

const MERGED_GENESIS = JSON.stringify({
  ...JSON.parse(GENESIS),
  config: {
    ...JSON.parse(GENESIS).config,
    terminalTotalDifficulty: 0x1000 + TERMINAL_BLOCK * Number(BLOCK_DIFFICULTY),
  },
})

export interface MergedChains extends Pick<Branches, 'main' | 'open' | 'senders'> {
  /** Has other blocks of proof of stake than the main chain. */
  readonly rival: ServedChain
}

let built: Promise<Branches> | undefined
let merged: Promise<MergedChains> | undefined

export function branches(): Promise<Branches> {
  built ??= build()
  return built
}

/** Chains that leave proof of work at the same block. */
export function mergedChains(): Promise<MergedChains> {
  merged ??= buildMerged()
  return merged
}

async function buildMerged(): Promise<MergedChains> {
  await installSimulationCrypto()
  const open = opener(MERGED_GENESIS)
  const chain = await open()
  const root = served({ header: chain.genesis.header, transactions: [], ommers: [] })
  const mined = [root, ...(await extend(chain, chain.genesis, TERMINAL_BLOCK, 1))]
  const terminal = chain.head
  const main = [...mined, ...(await extend(chain, terminal, STAKED_BLOCKS, 1))]
  const rival = [...mined, ...(await extend(chain, terminal, STAKED_BLOCKS, 2))]
  return { main, rival, open, senders: new KnownSenders() }
}

function opener(text: string): Branches['open'] {
  const genesis = parseGenesisFile(text)
  return (options = {}) =>
    openTestChain({
      ...options,
      config: genesis.config,
      genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
    })
}

async function build(): Promise<Branches> {
  await installSimulationCrypto()
  const senders = new KnownSenders()
  const open = opener(GENESIS)
  const chain = await open()
  const root = served({ header: chain.genesis.header, transactions: [], ommers: [] })
  const main = [root, ...(await extend(chain, chain.genesis, MAIN_BLOCKS, 1))]
  const fork = chain.headerByNumber(FORK_BLOCK) as ChainHeader
  const shorter = [...main.slice(0, FORK_BLOCK + 1), ...(await extend(chain, fork, SHORTER_BLOCKS, 2))]
  const earlyFork = chain.headerByNumber(EARLY_FORK_BLOCK) as ChainHeader
  const early = [...main.slice(0, EARLY_FORK_BLOCK + 1), ...(await extend(chain, earlyFork, EARLY_BLOCKS, 3))]
  const forged = forge(main, (header) => ({ ...header, stateRoot: new Uint8Array(32).fill(1) }))
  const easy = forge(main, (header) => ({ ...header, difficulty: 1n }))
  return { main, shorter, early, forged, easy, open, senders }
}

async function extend(chain: Chain, from: ChainHeader, count: number, tag: number): Promise<ServedBlock[]> {
  const blocks: ServedBlock[] = []
  let parent = from
  let nonce = Number(chain.stateAt(from).getAccount(hexToBytes(ALICE.address))?.nonce ?? 0n)
  for (let i = 0; i < count; i++) {
    const hasTransactions = i % 3 !== 2
    const candidates = hasTransactions
      ? [plannedOf(await signed(ALICE, { nonce, value: BigInt(tag), maxFeePerGas: 20_000_000_000n }))]
      : []
    const plan = planBlock(parent, {
      transactions: candidates,
      beneficiary: new Uint8Array(20).fill(tag),
      timestamp: parent.header.timestamp + 10n,
    })
    const candidate = await chain.build(plan, parent)
    if (candidate === undefined) throw new Error('no block was built')
    await chain.commit(candidate)
    if (candidate.block.transactions.length > 0) nonce++
    blocks.push(served(candidate.block))
    parent = chain.headerByHash(candidate.hash) as ChainHeader
  }
  return blocks
}

/** Empty blocks on top of the main chain, of which the first is changed. */
function forge(main: ServedChain, change: (header: Header) => Header): ServedChain {
  const kept = main.slice(0, FORGED_BLOCK + 1)
  const empty = main.find(({ header }, i) => i > 0 && header.gasUsed === 0n) as ServedBlock
  let parent = kept.at(-1) as ServedBlock
  const blocks: ServedBlock[] = []
  for (let i = 0; i < FORGED_BLOCKS; i++) {
    const header: Header = {
      ...empty.header,
      parentHash: parent.hash,
      number: parent.header.number + 1n,
      timestamp: parent.header.timestamp + 10n,
      baseFeePerGas: nextFee(parent.header),
      stateRoot: parent.header.stateRoot,
    }
    parent = served({ header: i === 0 ? change(header) : header, transactions: [], ommers: [] })
    blocks.push(parent)
  }
  return [...kept, ...blocks]
}

/** EIP-1559 */
function nextFee({ gasUsed, gasLimit, baseFeePerGas = 0n }: Header): bigint {
  const target = gasLimit / 2n
  if (gasUsed >= target) throw new Error('blocks of the main chain are nearly empty')
  return baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / 8n
}

function served(block: Block): ServedBlock {
  const { header } = block
  return {
    header,
    encoding: encodeHeader(header),
    hash: hashHeader(header),
    body: encodeBody(block),
    rlp: encodeBlock(block),
  }
}

export function totalDifficulty(chain: ServedChain, number: number): bigint {
  return chain.slice(0, number + 1).reduce((sum, { header }) => sum + header.difficulty, 0n)
}
