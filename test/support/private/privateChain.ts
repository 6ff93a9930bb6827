/** Chains with private transactions, over an enclave in memory. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { noMetrics } from '../../../src/base/ports/metrics.ts'
import type { Timers } from '../../../src/base/ports/timers.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { EnclaveClient } from '../../../src/private/privacy/enclaveClient.ts'
import { MarkerPayloads } from '../../../src/private/privacy/markerPayloads.ts'
import { PrivateColumns } from '../../../src/private/privacy/privateColumns.ts'
import { PrivateDerivation } from '../../../src/private/privacy/privateDerivation.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { openTestChain, TEST_CLOCK } from '../chains/testChain.ts'
import { loadTestEvm } from '../evm/testEvm.ts'
import { testTimers } from '../host/testPorts.ts'
import { recordedPath } from '../recorded/conformance.ts'
import type { FakeEnclave } from './fakeEnclave.ts'

export interface PrivateChainOptions {
  readonly enclave: FakeEnclave
  /** Text of the genesis file. */
  readonly genesis: string
  readonly kv?: KeyValueStore
  readonly isFlexible?: boolean
  readonly timers?: Timers
}

export interface PrivateChain {
  readonly chain: Chain
  readonly kv: KeyValueStore
  readonly payloads: MarkerPayloads
}

export async function openPrivateChain(options: PrivateChainOptions): Promise<PrivateChain> {
  const { enclave, kv = new MemoryStore(), isFlexible = false, timers = testTimers } = options
  const genesis = parseGenesisFile(options.genesis)
  const states = new StateStore(kv)
  const consensus = createSchedule(genesis.config)
  const common = { isFlexible, clock: TEST_CLOCK, logger: silentLogger, metrics: noMetrics }
  const payloads = new MarkerPayloads({ ...common, enclave: new EnclaveClient(enclave), timers })
  const derivation = new PrivateDerivation({
    ...common,
    payloads,
    keepRevertReasons: true,
    execution: { config: genesis.config, evm: await loadTestEvm(TEST_CLOCK), consensus, control: {} },
    evm: await loadReferenceEvm(TEST_CLOCK),
    states,
    privateStates: new StateStore(new PrivateColumns(kv)),
    markerSigner: undefined,
  })
  const chain = await openTestChain({
    kv,
    states,
    consensus,
    derivation,
    config: genesis.config,
    genesis: {
      alloc: genesis.alloc,
      text: options.genesis,
      block: (stateRoot) => genesisBlock(genesis, stateRoot),
    },
  })
  return { chain, kv, payloads }
}

export interface RecordedCase {
  readonly group: string
  readonly name: string
  readonly request: { readonly method: string; readonly params: readonly unknown[] }
  readonly response: { readonly result?: unknown; readonly error?: unknown }
}

/** Cases of one group, such as `besu/privacy/cases-a/priv_getCode`. */
export function recordedGroup(folder: string): RecordedCase[] {
  const directory = recordedPath(folder)
  return readdirSync(directory).map((file) => ({
    group: path.basename(folder),
    ...(JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as Omit<RecordedCase, 'group'>),
  }))
}
