/**
 * Runs the tests of go-ethereum's tracers: one transaction in a block of any number, on a given state.
 * @see https://github.com/ethereum/go-ethereum/tree/master/eth/tracers/internal/tracetest
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { JsonWriter } from '../../../src/base/primitives/jsonWriter.ts'
import { EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import type { ChainHeader, ChainReader } from '../../../src/chain/contract.ts'
import { type GenesisAlloc, parseGenesis } from '../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import type { MutableState } from '../../../src/state/contract.ts'
import { Replay } from '../../../src/tracing/replay.ts'
import type { TracerSelection } from '../../../src/tracing/tracers.ts'
import type { Block, Header } from '../../../src/types/block.ts'
import { genesisHeader } from '../../../src/types/genesisHeader.ts'
import { decodeTransaction } from '../../../src/types/transactionCodec.ts'
import { TEST_SENDERS } from '../chains/testChain.ts'
import { newWorldState } from './stateTests.ts'

interface TestAccount {
  /** Hexadecimal with 0x, otherwise decimal. */
  readonly nonce?: string
}

export interface GethTracerTest {
  readonly genesis: {
    readonly config: Readonly<Record<string, unknown>>
    readonly alloc: Readonly<Record<string, TestAccount>>
  }
  readonly context: {
    readonly number: string
    readonly timestamp: string
    readonly gasLimit: string
    readonly miner: string
    readonly difficulty?: string
    readonly baseFeePerGas?: string
  }
  /** A signed transaction. */
  readonly input: string
  readonly tracerConfig?: unknown
  readonly result: unknown
}

export function gethTracerTests(folder: string): readonly [name: string, test: GethTracerTest][] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.map((file) => [file, JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as GethTracerTest])
}

/** @returns the value that the tracer wrote */
export async function traceGethTest(test: GethTracerTest, evm: Evm, tracer: TracerSelection): Promise<unknown> {
  // The author of a block is in the test, not in a seal.
  const { clique: _, ...settings } = test.genesis.config
  const alloc = Object.fromEntries(
    Object.entries(test.genesis.alloc).map(([key, account]) => [key, withHexNonce(account)]),
  )
  const genesis = parseGenesis({ ...test.genesis, alloc, config: settings })
  const { config } = genesis
  const block = blockOf(test, genesisHeader(genesis, EMPTY_TRIE_ROOT))
  const parent = parentOf(block)
  const replay = new Replay({
    chain: NO_CHAIN,
    config,
    evm,
    consensus: createSchedule(config),
    control: {},
    states: { mutable: () => filledState(genesis.alloc) },
    senders: TEST_SENDERS,
  })
  let text = ''
  await tracer.run(async (factory) => {
    const written: Uint8Array[] = []
    const out = new JsonWriter({
      write: (bytes) => void written.push(bytes.slice()),
      isFull: false,
      drained: async () => {},
    })
    await replay.blockOn(parent, block, { tracerFor: () => factory(out) }, { signal: undefined, timeoutMs: undefined })
    out.flush()
    text = new TextDecoder().decode(await new Blob(written as BlobPart[]).arrayBuffer())
  })
  return JSON.parse(text)
}

/** A nonce without 0x is hexadecimal in genesis files of the node. */
function withHexNonce(account: TestAccount): TestAccount {
  return account.nonce === undefined ? account : { ...account, nonce: `0x${BigInt(account.nonce).toString(16)}` }
}

/** Only the parent is there, and nothing asks for it. */
const NO_CHAIN = {
  isCanonical: () => false,
  headerByHash: () => undefined,
  parentOf: () => undefined,
} as unknown as ChainReader

function blockOf({ context, input, genesis }: GethTracerTest, first: Header): Block {
  const { number, timestamp, gasLimit, miner, difficulty, baseFeePerGas } = context
  const isMerged = genesis.config['terminalTotalDifficulty'] === 0
  const header = {
    ...first,
    number: BigInt(number),
    timestamp: BigInt(timestamp),
    gasLimit: BigInt(gasLimit),
    beneficiary: hexToBytes(miner),
    difficulty: isMerged ? 0n : BigInt(difficulty ?? 0),
    ...(baseFeePerGas !== undefined && { baseFeePerGas: BigInt(baseFeePerGas) }),
  }
  const body = { transactions: [decodeTransaction(hexToBytes(input))], ommers: [] }
  return { header, ...body, ...(first.withdrawalsRoot !== undefined && { withdrawals: [] }) }
}

function parentOf({ header }: Block): ChainHeader {
  return {
    header: { ...header, number: header.number - 1n },
    hash: header.parentHash,
    totalDifficulty: 0n,
    stateRoot: { hash: EMPTY_TRIE_ROOT, version: 0 },
  }
}

function filledState(alloc: GenesisAlloc): MutableState {
  const { state } = newWorldState()
  state.beginTransaction()
  for (const { address, balance, nonce, code, storage } of alloc) {
    state.createAccount(address)
    state.setBalance(address, balance)
    if (nonce > 0n) state.setNonce(address, nonce)
    if (code.length > 0) state.setCode(address, code)
    for (const [slot, value] of storage) state.setStorage(address, slot, value)
  }
  state.endTransaction({ selfDestructs: [], clearEmpty: false })
  return state
}
