/**
 * Turns a remote that nobody trusts into a provider whose answers are proven.
 * @module
 */
import { DEFAULT_API_OPTIONS } from '../api/options.ts'
import { MAX_VERIFIED_VIEWS, VERIFIED_CALL_MS } from '../base/limits/limits.ts'
import type { Eip1193Provider, RemoteTransport } from '../base/ports/remoteTransport.ts'
import { bytesToHex, quantity } from '../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import { LazyModule } from '../base/primitives/lazyModule.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { createPosSchedule, isOnlyProofOfStake } from '../consensus/posSchedule.ts'
import { originScope } from '../fork/cacheKeys.ts'
import type { ForkHeader } from '../fork/forkBlock.ts'
import { memorySource } from '../fork/memorySource.ts'
import { RemoteAccess } from '../fork/remoteAccess.ts'
import { createRemoteClient } from '../remote/client.ts'
import type { RemoteClient } from '../remote/contract.ts'
import type { RequestArguments, RequestFunction } from '../rpc/providerContract.ts'
import { Answers } from './answers.ts'
import type { MarkedAnswer, TrustedHead, VerifiedHost, VerifiedOptions, VerifiedProvider } from './contract.ts'
import { provenMethod } from './methods.ts'
import { HeaderReads } from './trust/headerReads.ts'
import { HeadSource, type HeadTrust } from './trust/headSource.ts'
import { type CheckedTrust, checkedTrust, genesisOf, invalidOption } from './trustOption.ts'
import { VerifiedView, type ViewDeps } from './verifiedView.ts'

/** As of go-ethereum. */
const CALL_GAS_CAP = 50_000_000n

/**
 * Nothing is asked before the first request.
 * @throws {NodeError} INVALID_OPTION, INVALID_GENESIS
 */
export async function openVerifiedProvider(options: VerifiedOptions, host: VerifiedHost): Promise<VerifiedProvider> {
  const genesis = await genesisOf(options)
  const schedule = await scheduleOf(genesis.config)
  const trust = await checkedTrust(options.trust, genesis, schedule)
  const clients: RemoteClient[] = []
  const open = (sources: readonly (RemoteTransport | Eip1193Provider)[]): RemoteClient => {
    const client = createRemoteClient({ sources, ...host })
    clients.push(client)
    return client
  }
  const client = open(sourcesOf(options, host))
  const remote = new RemoteAccess(client)
  const source = host.source ?? memorySource()
  const { clock, yieldToHost } = host
  const execution = new LazyModule(async () => {
    const { Execution } = await import('./execution.ts')
    return new Execution({ config: genesis.config, consensus: schedule, host })
  })
  const view: ViewDeps = {
    remote,
    source,
    scope: originScope(genesis.config.chainId, client.status.origins[0] ?? ''),
    config: genesis.config,
    consensus: schedule,
    options: { ...DEFAULT_API_OPTIONS, profile: 'geth', callGasCap: CALL_GAS_CAP, callTimeoutMs: VERIFIED_CALL_MS },
    yieldToHost,
    loadExecution: async () => {
      await execution.load()
      return execution.get()
    },
  }
  const views = new Views(view)
  const headers = new HeaderReads(remote)
  const callAt: ConstructorParameters<typeof HeadSource>[0]['callAt'] = (call, block) => views.of(block).call(call)
  const heads = new HeadSource(
    { headers, schedule, config: genesis.config, clock, callAt },
    openedTrust(trust, (url) => new HeaderReads(new RemoteAccess(open([host.openTransport(url)])))),
  )
  const close = async (): Promise<void> => {
    for (const each of clients) each.close()
    await source.close()
  }
  return new Provider(
    { config: genesis.config, heads, views, remote, close, passed: options.methods ?? 'none' },
    new Answers(remote),
  )
}

/** Loads the engines that most chains do not have. */
async function scheduleOf(config: ChainConfig): Promise<ConsensusSchedule> {
  if (isOnlyProofOfStake(config)) return createPosSchedule(config)
  return (await import('../consensus/createSchedule.ts')).createSchedule(config)
}

function sourcesOf({ url, provider }: VerifiedOptions, host: VerifiedHost): (RemoteTransport | Eip1193Provider)[] {
  if ((url === undefined) === (provider === undefined)) throw invalidOption('give either url or provider')
  if (provider !== undefined) return [provider]
  const urls = typeof url === 'string' ? [url] : (url ?? [])
  if (urls.length === 0) throw invalidOption('url: give at least one address')
  return urls.map((each) => host.openTransport(each))
}

function openedTrust(trust: CheckedTrust, headersAt: (url: string) => HeaderReads): HeadTrust {
  if (trust.kind !== 'heads') return trust
  return { kind: 'heads', remotes: trust.urls.map(headersAt), agree: trust.agree }
}

/** Views of the last heads, whose blocks and states are in memory. */
class Views {
  readonly #deps: ViewDeps
  readonly #views = new LruCache<string, VerifiedView>(MAX_VERIFIED_VIEWS)

  constructor(deps: ViewDeps) {
    this.#deps = deps
  }

  of(head: ForkHeader): VerifiedView {
    const name = bytesToHex(head.hash)
    let view = this.#views.get(name)
    if (view === undefined) {
      view = new VerifiedView(this.#deps, head)
      this.#views.set(name, view)
    }
    return view
  }
}

interface ProviderDeps {
  readonly config: ChainConfig
  readonly heads: HeadSource
  readonly views: Views
  readonly remote: RemoteAccess
  readonly passed: NonNullable<VerifiedOptions['methods']>
  close(): Promise<void>
}

class Provider implements VerifiedProvider {
  readonly #deps: ProviderDeps
  readonly #answers: Answers

  constructor(deps: ProviderDeps, answers: Answers) {
    this.#deps = deps
    this.#answers = answers
  }

  readonly request: RequestFunction = async <T>(
    call: string | RequestArguments,
    given?: readonly unknown[] | object,
  ): Promise<T> => {
    const method = typeof call === 'string' ? call : call.method
    const params = (typeof call === 'string' ? given : call.params) ?? []
    const { result } = await this.ask(method, params as readonly unknown[])
    return result as T
  }

  async ask(method: string, params: readonly unknown[] = []): Promise<MarkedAnswer> {
    try {
      return await this.#ask(method, params)
    } catch (error) {
      throw await requestError(error)
    }
  }

  async head(): Promise<TrustedHead> {
    const { number, hash } = await this.#deps.heads.head()
    return { number, hash: bytesToHex(hash) }
  }

  close(): Promise<void> {
    return this.#deps.close()
  }

  async #ask(method: string, params: readonly unknown[]): Promise<MarkedAnswer> {
    if (!Array.isArray(params)) throw new NodeError({ code: 'INVALID_PARAMS' }, 'params must be an array')
    const { heads, views, config, passed, remote } = this.#deps
    if (method === 'eth_chainId') return { result: quantity(config.chainId), isProven: true }
    if (method === 'net_version') return { result: `${config.networkId}`, isProven: true }
    if (method === 'eth_accounts') return { result: [], isProven: true }
    // The code of the method is loaded while the head is looked for.
    const [head] = await Promise.all([heads.head(), provenMethod(method)])
    const answer = await this.#answers.answer(views.of(head), method, params)
    if (answer !== undefined) return { ...answer, isProven: true }
    if (passed !== 'all' && (passed === 'none' || !passed.includes(method))) {
      throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, `the answer of ${method} cannot be proven`)
    }
    const [result] = await remote.valuesOf([{ method, params }], method)
    return { result, isProven: false }
  }
}

/** Faults of the remote, which keep their code; faults of the request become errors of JSON-RPC. */
const REMOTE_FAULTS = /^(?:FORK_|REMOTE_|PROOF_INVALID$|HEAD_UNTRUSTED$)/

async function requestError(error: unknown): Promise<unknown> {
  if (!isNodeError(error) || REMOTE_FAULTS.test(error.code)) return error
  return (await import('./requestError.ts')).asRequestError(error)
}
