import { invalidParams } from '../../../api/errors.ts'
import type { ChainSuccession, ForkAccess, ForkResetTarget } from '../../../api/forkAccess.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { json, string } from '../../codecs/scalars.ts'
import { isObject, type JsonObject, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { done, nothing } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'

export interface ForkBackend extends DevBackend {
  /** undefined: the chain continues no other one */
  readonly fork?: ForkAccess | undefined
  /** undefined: the node keeps its chain */
  readonly succession?: (() => Promise<ChainSuccession>) | undefined
}

function requireFork({ fork }: ForkBackend): ForkAccess {
  if (fork !== undefined) return fork
  const message = 'the dev chain continues no other chain: start the node with --fork-url'
  throw new NodeError({ code: 'FORK_UNSUPPORTED' }, message)
}

/** The member `forkConfig` of anvil_nodeInfo. */
export function forkConfig(fork: ForkAccess | undefined): JsonObject {
  if (fork === undefined) return { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null }
  const { origin, block, retryBackoffMs } = fork
  return { forkUrl: origin ?? null, forkBlockNumber: block.number, forkRetryBackoff: retryBackoffMs }
}

/** The member `forkedNetwork` of anvil_metadata and hardhat_metadata. */
export function forkedNetwork(fork: ForkAccess | undefined): JsonObject | null {
  if (fork === undefined) return null
  const { chainId, block } = fork
  return { chainId: Number(chainId), forkBlockNumber: block.number, forkBlockHash: bytesToHex(block.hash) }
}

const object = json<JsonObject>({ type: 'object' })

const status: MethodDefinition<ForkBackend> = defineMethod({
  name: 'isonode_forkStatus',
  group: 'DEV',
  summary:
    'The chain that the dev chain continues, and what was asked of its remote: requests, calls in them, retries, waits for limits of rate, bytes, ' +
    'hits of pack and cache, proven values, and what the remote has been found to support.',
  params: [],
  result: result('status', object),
  errors: ['FORK_UNSUPPORTED'],
  handler: (backend: ForkBackend) => {
    const fork = requireFork(backend)
    const { number, hash } = fork.block
    return {
      chainId: quantity(fork.chainId),
      blockNumber: quantity(number),
      blockHash: bytesToHex(hash),
      ...fork.status,
    }
  },
})

const setRpcUrl: MethodDefinition<ForkBackend> = defineMethod({
  name: 'anvil_setRpcUrl',
  group: 'DEV',
  summary: 'Asks another address for the chain that the dev chain continues. The address must serve the same chain.',
  params: [param('url', string, 'Address of a node: http, https, ws or wss.')],
  result: result('nothing', nothing),
  errors: ['FORK_UNSUPPORTED', 'FORK_BLOCK_CHANGED', 'FORK_UNAVAILABLE'],
  handler: async (backend: ForkBackend, [url]) => {
    await checked(() => requireFork(backend).setUrl(url))
  },
})

/** An address or a block that options refuse is a parameter here. */
async function checked(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw isNodeError(error, 'INVALID_OPTION') ? invalidParams(error.message) : error
  }
}

/** Members that are null count as absent. @returns undefined without options */
const resetOptions: Codec<ForkResetTarget | undefined> = parameterCodec(
  {
    title: 'ResetOptions',
    type: 'object',
    properties: {
      forking: {
        type: 'object',
        properties: { jsonRpcUrl: { type: 'string' }, blockNumber: { type: ['integer', 'string'] } },
      },
    },
  },
  (value) => {
    if (!isObject(value)) return undefined
    const { forking } = value
    if (!isObject(forking)) return {}
    const { jsonRpcUrl = null, blockNumber = null } = forking
    if (jsonRpcUrl !== null && typeof jsonRpcUrl !== 'string') throw invalidParams('forking.jsonRpcUrl must be a text')
    if (blockNumber !== null && typeof blockNumber !== 'number' && typeof blockNumber !== 'string')
      throw invalidParams('forking.blockNumber must be a number')
    return { url: jsonRpcUrl ?? undefined, block: blockNumber === null ? undefined : String(blockNumber) }
  },
)

const RESET_PARAMS = [
  optional(
    'options',
    resetOptions,
    '`forking`: the address of a node (`jsonRpcUrl`) and the block of its chain to continue (`blockNumber`). An empty object: the chain begins again where it began.',
  ),
] as const

/** Without options, the chain that continues no other one begins again. */
async function begin(backend: ForkBackend, target: ForkResetTarget | undefined): Promise<void> {
  const { fork } = backend
  if (target === undefined && fork !== undefined) return (await successionOf(backend)).toPlain()
  const { url, block } = target ?? {}
  if (url === undefined && block === undefined) return devChain(backend).reset()
  if (fork !== undefined && (await fork.reset({ url, block }))) return
  if (url === undefined) throw invalidParams('forking.jsonRpcUrl is missing: the chain continues no other one')
  await (await successionOf(backend)).toFork({ url, block })
}

async function successionOf({ succession }: ForkBackend): Promise<ChainSuccession> {
  if (succession !== undefined) return succession()
  const message =
    'this node keeps its chain, because it is stored, or plugins or private transactions use it: start one with --ephemeral'
  throw new NodeError({ code: 'FORK_UNSUPPORTED' }, message)
}

function reset(name: string, aliases: readonly string[], answer: Codec<void>): MethodDefinition<ForkBackend> {
  return defineMethod({
    name,
    aliases,
    group: 'DEV',
    summary:
      'Begins the chain again, with an empty pool and default settings. Block 0 has the present time, unless a genesis file or --timestamp gave its time. ' +
      'With `forking`, the chain continues a block of another chain from now on; without options, it no longer does. Filters and subscriptions remain.',
    params: RESET_PARAMS,
    result: result('done', answer),
    errors: ['FORK_UNSUPPORTED', 'FORK_UNAVAILABLE', 'FORK_BLOCK_CHANGED'],
    handler: (backend: ForkBackend, [target]) => checked(() => begin(backend, target)),
  })
}

export const forkMethods: readonly MethodDefinition<ForkBackend>[] = [
  reset('anvil_reset', [], nothing),
  reset('hardhat_reset', ['ganache_reset'], done),
  setRpcUrl,
  status,
]
