/** A complete dev node over a store in memory, called through the envelope of its HTTP endpoint. */

import { afterEach } from 'vitest'
import type { Clock } from '../../../src/base/ports/host.ts'
import type { KeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { createNode, type IsoNode, type NodeGenesis, type NodeHost } from '../../../src/node/node.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { TEST_SENDERS } from '../chains/testChain.ts'
import { nativeModule } from '../evm/nativeModule.ts'
import { testRandom, testTimers } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'
import { replyText } from '../rpc/replyText.ts'
import { DEV_CHAIN } from './devChain.ts'

/** A wall clock set by the test; monotonic time advances normally. */
export class TestClock implements Clock {
  seconds = 1_800_000_000

  now(): number {
    return this.seconds * 1000
  }

  monotonic(): number {
    return performance.now()
  }
}

export interface OpenedNode {
  readonly node: IsoNode
  readonly clock: TestClock
  /** @throws {Error} with the message, `code`, `data` and `stackTrace` of a JSON-RPC error */
  rpc<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
}

/** @param json the genesis, in the form of a genesis file */
export async function openDevNode(
  options: Partial<NodeOptions> = {},
  kv: KeyValueStore = new MemoryStore(),
  host: Partial<NodeHost> = {},
  json: Record<string, unknown> = devGenesis(),
  chain: Pick<NodeGenesis, 'accounts' | 'beginsNow'> = { accounts: DEV_ACCOUNTS },
): Promise<OpenedNode> {
  const genesis = parseGenesis(json, { networkId: BigInt(DEV_CHAIN) })
  const clock = new TestClock()
  const node = await createNode(
    {
      store: kv,
      clock,
      logger: silentLogger,
      senders: TEST_SENDERS,
      timers: testTimers,
      random: testRandom,
      yieldToHost: testYield,
      platform: 'test',
      evmModule: await nativeModule,
      loadReferenceEvm,
      ...host,
    },
    { ...chain, genesis, text: JSON.stringify(json) },
    settingsOf({ ...defaultOptions(true), ...options }, true),
  )
  const rpc = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = await node.endpoints.get('http').exchange.handle({ body: request })
    const { result, error } = JSON.parse(await replyText(reply))
    if (error !== undefined) {
      const { code, data, stackTrace } = error
      throw Object.assign(new Error(error.message), { code, data, ...(stackTrace === undefined ? {} : { stackTrace }) })
    }
    return result
  }
  return { node, clock, rpc }
}

/**
 * Call it once, at the top of a test file.
 * @returns a function that opens nodes, which are closed after each test
 */
export function closedAfterEach(): typeof openDevNode {
  const opened: OpenedNode[] = []
  afterEach(async () => {
    for (const { node } of opened.splice(0)) await node.close()
  })
  return async (...parameters) => {
    const node = await openDevNode(...parameters)
    opened.push(node)
    return node
  }
}
