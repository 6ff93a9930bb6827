import { silentLogger } from '../../../src/base/ports/logging.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { createNode, type IsoNode, type NodeHost } from '../../../src/node/node.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { TEST_SENDERS } from '../chains/testChain.ts'
import { testRandom, testTimers } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'

/** Timestamp of the genesis blocks. */
export const GENESIS_SECONDS = 1_700_000_000

/** Opens a node on a genesis file over a store in memory; its clock stands 1,000 s after {@link GENESIS_SECONDS}. */
export function openGenesisNode(
  text: string,
  options: Partial<NodeOptions>,
  host: Partial<NodeHost> = {},
): Promise<IsoNode> {
  return createNode(
    {
      store: new MemoryStore(),
      clock: { now: () => (GENESIS_SECONDS + 1000) * 1000, monotonic: () => performance.now() },
      logger: silentLogger,
      senders: TEST_SENDERS,
      timers: testTimers,
      random: testRandom,
      yieldToHost: testYield,
      platform: 'test',
      ...host,
    },
    { genesis: parseGenesisFile(text), text },
    settingsOf({ ...defaultOptions(false), ...options }, false),
  )
}
