/** Chains as mirrors in memory. */
import { readFileSync } from 'node:fs'
import { fileGenesis, importStream, webSettings } from '../../../adapters/shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../../../adapters/shared/webPorts.ts'
import { MIN_MEMORY_BYTES } from '../../../src/base/limits/memoryShares.ts'
import { InlineRecovery } from '../../../src/base/ports/inlineRecovery.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { createNode, type NodeHost } from '../../../src/node/node.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { MemoryObjects } from '../../support/mirror/memoryObjects.ts'
import { TestPublisher } from '../../support/mirror/testPublisher.ts'
import type { RuntimeChain } from './chains.ts'

const yieldToHost = (): Promise<void> => Promise.resolve()

export interface ChainMirror {
  readonly objects: MemoryObjects
  readonly publisher: TestPublisher
}

/**
 * Publishes a chain with merged segments.
 * @param segmentBytes of these, about
 */
export async function mirrorOf(
  chain: Pick<RuntimeChain, 'genesisFile' | 'blocksFile'>,
  segmentBytes = 65_536,
): Promise<ChainMirror> {
  const store = new MemoryStore()
  const genesis = fileGenesis(readFileSync(chain.genesisFile, 'utf8'))
  const host: NodeHost = {
    store,
    clock: webClock,
    timers: webTimers,
    random: webRandom,
    logger: silentLogger,
    senders: new InlineRecovery({ clock: webClock, yieldToHost }),
    yieldToHost,
    platform: 'test',
    evmModule: await compileNativeModule(),
  }
  const node = await createNode(host, genesis, webSettings(false, MIN_MEMORY_BYTES))
  await importStream(node, host, [readFileSync(chain.blocksFile)], { verifySeal: false })
  const { head, genesis: first, config } = node.chain
  const objects = new MemoryObjects()
  const identity = { chainId: config.chainId, genesisHash: first.hash, genesis: genesis.text }
  const publisher = new TestPublisher(objects, { identity, segmentBytes, now: Date.now })
  publisher.head = { number: Number(head.header.number), hash: head.hash }
  const entries = [...store.range({ prefix: new Uint8Array(0) })]
  const batch = entries
    .filter(([key]) => key[0] !== Column.localTransaction)
    .map(([key, value]): Mutation => ({ key, value }))
  await node.close()
  await publisher.commit(batch)
  await publisher.merge()
  const { number, hash } = publisher.head
  await publisher.publish({ finalized: { number: number - 1, hash } })
  await publisher.hint()
  return { objects, publisher }
}
