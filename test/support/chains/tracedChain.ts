/** A dev chain with contracts in its genesis, whose transactions are traced. */

import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { JsonWriter } from '../../../src/base/primitives/jsonWriter.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import type { ChainConfig } from '../../../src/config/chainConfig.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { requireState } from '../../../src/state/errors.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import type { TracerFactory } from '../../../src/tracing/contract.ts'
import { Replay } from '../../../src/tracing/replay.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { loadTestEvm } from '../evm/testEvm.ts'
import { DEV_CHAIN, plannedOf, sealBlocks } from '../nodes/devChain.ts'
import { openTestChain, TEST_CLOCK, TEST_SENDERS } from './testChain.ts'

export interface GenesisAccount {
  readonly code?: Uint8Array
  readonly balance?: bigint
  readonly storage?: Readonly<Record<string, string>>
}

export interface TracedChain {
  readonly chain: Chain
  /** Seals a block of signed transactions and traces it. @returns one value per transaction */
  trace<T = unknown>(factory: TracerFactory, ...raw: readonly Uint8Array[]): Promise<T[]>
}

/** @param accounts by address, in addition to the funded ones */
export async function openTracedChain(accounts: Readonly<Record<string, GenesisAccount>>): Promise<TracedChain> {
  const json = devGenesis()
  const alloc = Object.fromEntries(Object.entries(accounts).map(([address, account]) => [address, allocOf(account)]))
  const whole = { ...json, alloc: { ...(json['alloc'] as object), ...alloc } }
  const genesis = parseGenesis(whole, { networkId: BigInt(DEV_CHAIN) })
  const { config } = genesis
  const kv = new MemoryStore()
  const chain = await openTestChain({
    kv,
    config,
    genesis: {
      alloc: genesis.alloc,
      text: JSON.stringify(whole),
      block: (stateRoot) => genesisBlock(genesis, stateRoot),
    },
  })
  const traceOf = await blockTracer(chain, kv, config)
  return {
    chain,
    trace: async (factory, ...raw) => {
      const refused: string[] = []
      const plan = {
        transactions: raw.map(plannedOf),
        refused: (_: unknown, { message }: { message: string }) => void refused.push(message),
      }
      const [header] = await sealBlocks(chain, [plan])
      if (header === undefined || refused.length > 0) throw new Error(`not included: ${refused.join(', ')}`)
      return traceOf(header, factory)
    },
  }
}

export type BlockTracer = <T = unknown>(header: ChainHeader, factory: TracerFactory) => Promise<T[]>

/** @returns a function that traces a stored block: one value per transaction */
export async function blockTracer(chain: Chain, kv: KeyValueStore, config: ChainConfig): Promise<BlockTracer> {
  const states = new StateStore(kv, { isWrittenElsewhere: true })
  const replay = new Replay({
    config,
    evm: await loadTestEvm(TEST_CLOCK),
    consensus: createSchedule(config),
    control: {},
    chain,
    states: { mutable: ({ stateRoot }) => states.mutable(requireState(stateRoot)) },
    senders: TEST_SENDERS,
  })
  return async <T>(header: ChainHeader, factory: TracerFactory) => {
    const values: T[] = []
    let text = ''
    let decoder = new TextDecoder()
    let out: JsonWriter | undefined
    const write = (chunk: Uint8Array): void => {
      text += decoder.decode(chunk, { stream: true })
    }
    const tracerFor = () => {
      text = ''
      decoder = new TextDecoder()
      out = new JsonWriter({ write, isFull: false, drained: async () => {} })
      return factory(out)
    }
    const traced = (): void => {
      out?.flush()
      values.push(JSON.parse(text))
    }
    await replay.block(header, { tracerFor, traced }, { signal: undefined, timeoutMs: undefined })
    return values
  }
}

function allocOf({ code, balance = 0n, storage }: GenesisAccount): object {
  return {
    balance: `0x${balance.toString(16)}`,
    ...(code && { code: bytesToHex(code) }),
    ...(storage && { storage }),
  }
}
