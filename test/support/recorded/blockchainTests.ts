/** Runs the BlockchainTests of ethereum/tests against a chain in memory. */

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { bigIntToBytesPadded, bytesToBigInt, bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainGenesis } from '../../../src/chain/genesis.ts'
import { ChainConfig, type ChainConfigOptions } from '../../../src/config/chainConfig.ts'
import type { ForkName } from '../../../src/config/forks.ts'
import type { StateReader } from '../../../src/state/contract.ts'
import type { GenesisAlloc } from '../../../src/state/genesisState.ts'
import type { Block } from '../../../src/types/block.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { hashHeader } from '../../../src/types/headerCodec.ts'
import { OFFICIAL_FORK_NAMES } from '../chains/forkNames.ts'
import { openTestChain, type TestChainOptions } from '../chains/testChain.ts'
import { recordedPath } from './conformance.ts'

export interface BlockchainTest {
  readonly network: string
  readonly sealEngine: 'NoProof' | 'Ethash'
  readonly genesisRLP: string
  readonly pre: Readonly<Record<string, TestAccount>>
  readonly postState?: Readonly<Record<string, TestAccount>>
  readonly postStateHash?: string
  readonly lastblockhash: string
  readonly blocks: readonly TestBlock[]
}

export interface TestAccount {
  readonly balance: string
  readonly nonce: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

export type TestBlock = { readonly rlp: string; readonly blockHeader?: { readonly hash: string } } & {
  /** `expectException`, `expectExceptionALL` or `expectException<network>` */
  readonly [key: `expectException${string}`]: string | undefined
}

const PROOF_OF_STAKE = new Set(['Merge', 'Paris', 'Shanghai', 'Cancun', 'Prague', 'Osaka'])
const BASE: ChainConfigOptions = {
  chainId: 1n,
  networkId: 1n,
  activations: [],
  consensus: { kind: 'ethash', fixedDifficulty: undefined },
  terminalTotalDifficulty: undefined,
  source: {},
}

/** `A`, `AToBAt5`, `AToBAtTime15k` or `AToBAtDiffC0000`. */
export function networkConfig(network: string): ChainConfig {
  const transition = /^(\w+?)To(\w+?)At(Time|Diff)?(\w+)$/.exec(network)
  if (transition === null) return new ChainConfig({ ...BASE, ...plainNetwork(network) })
  const [, from, to, kind, at] = transition as unknown as [string, string, string, string | undefined, string]
  const before = { ...BASE, ...plainNetwork(from) }
  if (kind === 'Diff') return new ChainConfig({ ...before, terminalTotalDifficulty: BigInt(`0x${at}`) })
  if (kind === 'Time') {
    const time = BigInt(at.replace('k', '000'))
    return new ChainConfig({ ...before, activations: [...before.activations, { fork: forkOf(to), time }] })
  }
  const block = BigInt(at)
  if (to === 'Dao') return new ChainConfig({ ...before, daoForkBlock: block })
  return new ChainConfig({ ...before, activations: [...before.activations, { fork: forkOf(to), block }] })
}

function plainNetwork(network: string): Pick<ChainConfigOptions, 'activations' | 'consensus'> {
  const fork = forkOf(network)
  if (!PROOF_OF_STAKE.has(network)) return { activations: [{ fork, block: 0n }], consensus: BASE.consensus }
  const activations = fork === 'paris' ? [] : [{ fork, time: 0n }]
  return { activations, consensus: { kind: 'proofOfStake' } }
}

function forkOf(network: string): ForkName {
  const fork = OFFICIAL_FORK_NAMES[network]
  if (fork === undefined) throw new Error(`unknown network ${network}`)
  return fork
}

/** All tests in the files below a folder, by name. */
export function readTests(folder: string): [name: string, test: BlockchainTest][] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.flatMap((entry) => {
    const text = readFileSync(path.join(entry.parentPath, entry.name), 'utf8')
    return Object.entries(JSON.parse(text) as Record<string, BlockchainTest>)
  })
}

/** Whether a block of the test must be rejected. */
export function mustFail(block: TestBlock, network: string): boolean {
  return (
    block.blockHeader === undefined ||
    block.expectException !== undefined ||
    block.expectExceptionALL !== undefined ||
    block[`expectException${network}`] !== undefined
  )
}

/** Imports the blocks of one test and compares the chain with the expected result. */
export async function runTest(test: BlockchainTest, options: GenesisOptions = {}): Promise<void> {
  const chain = await openGenesis(test, options)
  for (const [i, block] of test.blocks.entries()) {
    const reason = await importTestBlock(chain, block, test.sealEngine === 'Ethash')
    if (mustFail(block, test.network)) expect(reason, `block ${i} must be refused`).toBeDefined()
    else expect(reason, `block ${i}`).toBeUndefined()
  }
  expect(bytesToHex(chain.head.hash), 'head').toBe(withPrefix(test.lastblockhash))
  if (test.postStateHash !== undefined) {
    expect(bytesToHex(chain.head.header.stateRoot)).toBe(withPrefix(test.postStateHash))
  }
  if (test.postState !== undefined) checkState(chain.stateAt(chain.head), test.postState)
}

/** The chain of a test after importing its valid blocks; their seals are not checked. */
export async function openBlockchainTest(test: BlockchainTest, kv: KeyValueStore): Promise<Chain> {
  const chain = await openGenesis(test, { kv })
  for (const block of test.blocks) await importTestBlock(chain, block, false)
  return chain
}

/** Default: a new store, and the EVM of the suite. */
type GenesisOptions = Pick<TestChainOptions, 'kv' | 'evm'>

async function openGenesis(test: BlockchainTest, options: GenesisOptions): Promise<Chain> {
  const config = networkConfig(test.network)
  const genesisBlock = decodeBlock(hexToBytes(test.genesisRLP))
  const genesis: ChainGenesis = {
    alloc: allocOf(test.pre),
    text: '{}',
    block: (stateRoot) => ({ ...genesisBlock, header: { ...genesisBlock.header, stateRoot } }),
  }
  const chain = await openTestChain({ config, genesis, ...options })
  expect(bytesToHex(chain.genesis.hash), 'genesis').toBe(bytesToHex(hashHeader(genesisBlock.header)))
  return chain
}

export function allocOf(pre: BlockchainTest['pre']): GenesisAlloc {
  return Object.entries(pre).map(([address, account]) => ({
    address: hexToBytes(address),
    balance: BigInt(account.balance),
    nonce: BigInt(account.nonce),
    code: hexToBytes(account.code),
    storage: Object.entries(account.storage).map(([slot, value]) => [word(slot), word(value)] as const),
  }))
}

/** @returns why the block was rejected */
async function importTestBlock(chain: Chain, { rlp }: TestBlock, verifySeal: boolean): Promise<string | undefined> {
  let block: Block
  try {
    block = decodeBlock(hexToBytes(rlp))
  } catch (error) {
    if (isNodeError(error)) return error.message
    throw error
  }
  const outcome = await chain.import(block, { verifySeal })
  if (outcome.kind === 'imported' || outcome.kind === 'known') return undefined
  return outcome.kind === 'invalid' ? outcome.reason : outcome.kind
}

function checkState(state: StateReader, expected: Readonly<Record<string, TestAccount>>): void {
  const actual: Record<string, unknown> = {}
  const wanted: Record<string, unknown> = {}
  for (const [address, account] of Object.entries(expected)) {
    const bytes = hexToBytes(address)
    const found = state.getAccount(bytes)
    wanted[address] = {
      balance: BigInt(account.balance),
      nonce: BigInt(account.nonce),
      code: withPrefix(account.code),
      storage: Object.entries(account.storage).map(([slot, value]) => [BigInt(slot), BigInt(value)]),
    }
    actual[address] = found && {
      balance: found.balance,
      nonce: found.nonce,
      code: bytesToHex(state.getCode(bytes)),
      storage: Object.keys(account.storage).map((slot) => [
        BigInt(slot),
        bytesToBigInt(state.getStorage(bytes, word(slot))),
      ]),
    }
  }
  expect(actual).toEqual(wanted)
  expect(state.accounts(new Uint8Array(32), 10_000)).toHaveLength(Object.keys(expected).length)
}

function word(hex: string): Uint8Array {
  return bigIntToBytesPadded(BigInt(hex), 32)
}

function withPrefix(hex: string): string {
  return hex.startsWith('0x') ? hex : `0x${hex}`
}

/** The first seal of a file requires an ethash cache, which takes seconds to generate. */
const TIMEOUT_MS = 120_000

/** Prefix of the name of a test that takes about ten seconds and belongs to the long runs. */
const SLOW_TEST = 'AmIOnEIP150'

/**
 * Registers one test for each recorded test below a folder of BlockchainTests.
 * @param part `usual` omits the slow test, `slow` runs only that one
 */
export function describeBlockchainTests(folder: string, part: 'usual' | 'slow' = 'usual'): void {
  describe(`BlockchainTests/${folder}`, () => {
    for (const [name, test] of readTests(recordedPath('ethereum-tests', 'BlockchainTests', folder))) {
      if (name.startsWith(SLOW_TEST) === (part === 'slow')) it(name, () => runTest(test), TIMEOUT_MS)
    }
  })
}
