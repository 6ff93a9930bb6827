/**
 * A node in memory with the chain of a KV namespace.
 * @module
 */

import { createStorage, type Storage } from 'unstorage'
import cloudflareKvBinding from 'unstorage/drivers/cloudflare-kv-binding'
import { MAX_MIRROR_BLOCKS_BYTES, MAX_MIRROR_GENESIS_BYTES } from '../../src/base/limits/limits.ts'
import { MIN_MEMORY_BYTES } from '../../src/base/limits/memoryShares.ts'
import type { Logger } from '../../src/base/ports/host.ts'
import { InlineRecovery } from '../../src/base/ports/inlineRecovery.ts'
import type { YieldToHost } from '../../src/base/ports/yieldToHost.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { installKeccak256 } from '../../src/base/primitives/keccak.ts'
import { createNativeKeccak } from '../../src/evm/native/keccak.ts'
import { createNode, type NodeHost } from '../../src/node/node.ts'
import { createReadNode, type ReadNode } from '../../src/node/readOnly/readOnlyNode.ts'
import type { NodeSettings } from '../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { fileGenesis, importStream, streamChunks, webSettings } from '../shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../shared/webPorts.ts'

/** The used part of a KV namespace. */
export interface ChainNamespace {
  get(key: string, type: 'stream'): Promise<ReadableStream<Uint8Array> | null>
}

type DriverOptions = Parameters<typeof cloudflareKvBinding>[0]

const GENESIS = 'genesis.json'
const BLOCKS = 'blocks.rlp'

/**
 * Never waits for a timer: a timer belongs to the request that started it and dies with it, so anything in the node's
 * queues that awaits it would wait forever. Yielding has little use anyway, because the clock does not advance while a
 * Worker computes.
 */
const yieldToHost: YieldToHost = () => Promise.resolve()

/**
 * @param evmModule the native EVM's module; the platform does not compile WebAssembly at run time
 * @param corsOrigins as for --rpc-http-cors-origins
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
  const genesis = fileGenesis(await readGenesis(storage))
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
  // The operator of the namespace exported the blocks from a node that verified the seals.
  if (blocks !== undefined) await importStream(writer, host, blocks, { verifySeal: false })
  await writer.close()
  const node = createReadNode(host, genesis.genesis.config, settings)
  logger.info('opened the chain', { head: node.chain.head.header.number, evm: node.evm })
  return node
}

/**
 * Any Host is accepted: Cloudflare routes only this Worker's hostnames here, so DNS rebinding, which the allowlist
 * guards against, cannot occur.
 */
function mirrorSettings(corsOrigins: readonly string[]): NodeSettings {
  return { ...webSettings(false, MIN_MEMORY_BYTES), groups: ['ETH', 'NET', 'WEB3'], corsOrigins }
}

/** The driver requests text, but bytes that are not UTF-8 arrive unchanged only as a stream. */
function chainStorage(namespace: ChainNamespace): Storage {
  const binding = {
    get: (key: string) => namespace.get(key, 'stream'),
    put: readOnly,
    delete: readOnly,
  }
  return createStorage({ driver: cloudflareKvBinding({ binding } as unknown as DriverOptions) })
}

function readOnly(): Promise<never> {
  return Promise.reject(new NodeError({ code: 'READ_ONLY' }, 'the namespace is read-only'))
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
