import type { RpcProfile } from '../../../src/api/profile.ts'
import type { Clock, Logger } from '../../../src/base/ports/host.ts'
import type { Residency } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { Authenticate } from '../../../src/http/access/contract.ts'
import { createHttpApp } from '../../../src/http/app.ts'
import type { LoginRoute } from '../../../src/http/loginRoute.ts'
import { HttpPolicy, type HttpPolicyOptions } from '../../../src/http/policy.ts'
import type { Health } from '../../../src/http/readiness.ts'
import { RpcExchange } from '../../../src/http/rpcExchange.ts'
import { Envelope, type Transport } from '../../../src/rpc/envelope.ts'
import {
  type ApiGroup,
  type Codec,
  defineMethod,
  type MethodDefinition,
  optional,
  param,
  result,
} from '../../../src/rpc/method.ts'
import { MethodRegistry } from '../../../src/rpc/registry.ts'
import { testTimers } from '../host/testPorts.ts'
import { testYield } from '../host/testYield.ts'

export const anything: Codec<unknown> = {
  schema: { title: 'Anything' },
  parse: (value) => value,
  serialize: (value) => value,
}

export const uint: Codec<number> = {
  schema: { title: 'Uint', type: 'integer', minimum: 0 },
  parse: (value) => {
    if (typeof value !== 'number' || value < 0) throw new NodeError({ code: 'INVALID_PARAMS' }, 'expected a uint')
    return value
  },
  serialize: (value) => value,
}

export interface TestBackend {
  /** Names of the methods that have run. */
  readonly ran: string[]
  /** Signals received by handlers. */
  readonly signals: AbortSignal[]
}

export const define = (
  name: string,
  group: ApiGroup | undefined,
  handler: MethodDefinition<TestBackend>['handler'],
): MethodDefinition<TestBackend> =>
  defineMethod({
    name,
    group,
    summary: name,
    params: [optional('first', anything, 'First.'), optional('second', anything, 'Second.')],
    result: result('result', anything),
    handler: (backend: TestBackend, params, context) => {
      backend.ran.push(name)
      return handler(backend, params, context)
    },
  })

const fail = (details: { readonly code: string; readonly data?: unknown }, message: string): never => {
  throw new NodeError(details, message)
}

export const testMethods: readonly MethodDefinition<TestBackend>[] = [
  define('eth_chainId', 'ETH', () => '0x1'),
  define('eth_call', 'ETH', (_backend, [first]) => first),
  define('eth_coinbase', 'ETH', () => fail({ code: 'COINBASE_NOT_SPECIFIED' }, 'no coinbase')),
  define('eth_estimateGas', 'ETH', (_backend, [data]) => fail({ code: 'EXECUTION_REVERTED', data }, 'reverted')),
  define('eth_accounts', 'ETH', () => {
    throw new TypeError('secret detail')
  }),
  define('eth_mining', 'ETH', () => undefined),
  define('eth_hashrate', 'ETH', () => 1n),
  define('eth_syncing', 'ETH', async (_backend, [value]) => {
    await Promise.resolve()
    return value ?? false
  }),
  define('eth_getLogs', 'ETH', (_backend, [first]) => new Promise((resolve) => setTimeout(resolve, Number(first)))),
  define('eth_getWork', 'ETH', (backend, _params, { signal }) => {
    if (signal === undefined) return null
    backend.signals.push(signal)
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'))
    })
  }),
  defineMethod({
    name: 'eth_getBalance',
    group: 'ETH',
    summary: 'Has a required parameter.',
    params: [param('number', uint, 'Number.'), optional('other', uint, 'Other.')],
    exactParams: true,
    result: result('result', uint),
    errors: ['BLOCK_NOT_FOUND'],
    handler: (_backend: TestBackend, [number, other]) => number + (other ?? 0),
  }),
  define('web3_clientVersion', 'WEB3', () => 'client/version'),
  define('debug_traceBlock', 'DEBUG', () => []),
]

export interface TestServiceOptions extends HttpPolicyOptions {
  readonly methods?: readonly MethodDefinition<TestBackend>[]
  readonly groups?: readonly ApiGroup[]
  readonly profile?: RpcProfile
  readonly transport?: Transport
  readonly logger?: Logger
  readonly health?: Health
  readonly authenticate?: Authenticate
  readonly login?: LoginRoute
  readonly timeoutMs?: number
  readonly maxBatchItems?: number
  readonly maxBatchResponseLength?: number
  readonly residency?: Residency
  /** Milliseconds by which each reading advances the clock. */
  readonly clockStepMs?: number
  readonly clock?: Clock
}

/** Envelope, policy and app over a few test methods. */
export function testService(options: TestServiceOptions = {}) {
  const registry = new MethodRegistry<TestBackend>(options.methods ?? testMethods)
  const backend: TestBackend = { ran: [], signals: [] }
  const logger = options.logger ?? silentLogger
  let time = 0
  const clock = options.clock ?? {
    now: () => 0,
    monotonic: () => {
      time += options.clockStepMs ?? 0
      return time
    },
  }
  const served = registry.serve(options.groups ?? ['ETH', 'NET', 'WEB3'])
  const { profile = 'besu', transport, maxBatchItems, maxBatchResponseLength, residency } = options
  const envelope = new Envelope<TestBackend>({
    served,
    backend,
    profile,
    logger,
    clock,
    yieldToHost: testYield,
    ...(transport === undefined ? {} : { transport }),
    ...(maxBatchItems === undefined ? {} : { maxBatchItems }),
    ...(maxBatchResponseLength === undefined ? {} : { maxBatchResponseLength }),
    ...(residency === undefined ? {} : { residency }),
  })
  const policy = new HttpPolicy(options)
  const { authenticate, timeoutMs, login } = options
  const exchange = new RpcExchange({
    envelope,
    logger,
    timers: testTimers,
    ...(authenticate === undefined ? {} : { authenticate }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  const health = options.health ?? { isExtended: true, p2pEnabled: false, peerCount: 0, blocksBehind: 0 }
  const app = createHttpApp({ policy, exchange, health, timers: testTimers, ...(login === undefined ? {} : { login }) })
  return { registry, backend, envelope, policy, exchange, app }
}
