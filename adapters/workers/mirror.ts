/**
 * The chain of a KV namespace as a node in memory.
 * @module
 */

import { createStorage, type Storage } from 'unstorage'
import cloudflareKvBinding from 'unstorage/drivers/cloudflare-kv-binding'
import { MAX_MIRROR_BLOCKS_BYTES, MAX_MIRROR_GENESIS_BYTES } from '../../src/config/limits.ts'
import { createNativeKeccak } from '../../src/evm/native/keccak.ts'
import { createNode, type NodeHost } from '../../src/node/node.ts'
import { createReadNode, type ReadNode } from '../../src/node/readNode.ts'
import type { NodeSettings } from '../../src/node/settings.ts'
import type { Logger } from '../../src/ports/host.ts'
import { InlineRecovery } from '../../src/ports/inlineRecovery.ts'
import type { YieldToHost } from '../../src/ports/yieldToHost.ts'
import { NodeError } from '../../src/primitives/errors.ts'
import { installKeccak256 } from '../../src/primitives/keccak.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { importStream, streamChunks, webGenesis, webSettings } from '../shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../shared/webPorts.ts'

/** The part of a KV namespace that is used. */
export interface ChainNamespace {
  get(key: string, type: 'stream'): Promise<ReadableStream<Uint8Array> | null>
}

type DriverOptions = Parameters<typeof cloudflareKvBinding>[0]

const GENESIS = 'genesis.json'
const BLOCKS = 'blocks.rlp'

/**
 * A timer belongs to the request that started it and dies with it, and whoever waits for one in the node's queues would
 * then wait for ever. The clock stands still while a Worker computes, so there is little to give way to.
 */
const yieldToHost: YieldToHost = () => Promise.resolve()

/**
 * @param evmModule the native engine's; the platform compiles none at run time
 * @param corsOrigins as --rpc-http-cors-origins
 * @throws {NodeError} MISSING_GENESIS, VALUE_TOO_LARGE, INVALID_GENESIS, INVALID_BLOCK
 */
export async function openMirror(
  namespace: ChainNamespace,
  logger: Logger,
  evmModule: WebAssembly.Module,
  corsOrigins: readonly string[] = [],
): Promise<ReadNode> {
  installKeccak256(createNativeKeccak(evmModule))
  const storage = chainStorage(namespace)
  const genesis = webGenesis(await readGenesis(storage))
  const host: NodeHost = {
    store: new MemoryStore(),
    clock: webClock,
    timers: webTimers,
    random: webRandom,
    logger,
    senders: new InlineRecovery({ clock: webClock, yieldToHost }),
    yieldToHost,
    platform: 'cloudflare/workers',
    evmModule,
  }
  const settings = mirrorSettings(corsOrigins)
  const writer = await createNode(host, genesis, settings)
  const blocks = await read(storage, BLOCKS, MAX_MIRROR_BLOCKS_BYTES)
  // Whoever may write to the namespace exported the blocks from a node that verified the seals.
  if (blocks !== undefined) await importStream(writer, host, blocks, { verifySeal: false })
  await writer.close()
  const node = createReadNode(host, genesis.genesis.config, settings)
  logger.info('opened the chain', { head: node.chain.head.header.number, evm: node.evm })
  return node
}

/**
 * The own host is always allowed: the platform leads only requests for the names of this Worker here, so a name in the
 * request is never a foreign one that was bent to this address, which the allowlist is there for.
 */
function mirrorSettings(corsOrigins: readonly string[]): NodeSettings {
  return { ...webSettings(false), groups: ['ETH', 'NET', 'WEB3'], corsOrigins }
}

/** The driver asks for text; bytes that are not UTF-8 only come through as a stream. */
function chainStorage(namespace: ChainNamespace): Storage {
  const binding = {
    get: (key: string) => namespace.get(key, 'stream'),
    put: readOnly,
    delete: readOnly,
  }
  return createStorage({ driver: cloudflareKvBinding({ binding } as unknown as DriverOptions) })
}

function readOnly(): Promise<never> {
  return Promise.reject(new NodeError({ code: 'READ_ONLY' }, 'the namespace is only read'))
}

async function readGenesis(storage: Storage): Promise<string> {
  const chunks = await read(storage, GENESIS, MAX_MIRROR_GENESIS_BYTES)
  if (chunks === undefined) {
    throw new NodeError({ code: 'MISSING_GENESIS' }, `the KV namespace CHAIN has no ${GENESIS}`)
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

async function read(storage: Storage, name: string, limit: number): Promise<AsyncIterable<Uint8Array> | undefined> {
  const stream = await storage.getItemRaw<ReadableStream<Uint8Array>>(name)
  return stream === null ? undefined : atMost(limit, streamChunks(stream), name)
}

async function* atMost(
  limit: number,
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > limit) {
      throw new NodeError({ code: 'VALUE_TOO_LARGE', name, limit }, `${name} is longer than ${limit} bytes`)
    }
    yield chunk
  }
}
