/**
 * The bindings, variables and secrets that wrangler.toml gives the Worker.
 * @module
 */
import { WORKER_GAS_CAP, WORKER_READS_PER_REQUEST } from '../../src/base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../../src/base/primitives/bytes.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import type { ApiGroup } from '../../src/config/apiGroups.ts'
import type { KvNamespace } from '../shared/objects/kvObjects.ts'
import type { R2Binding } from '../shared/objects/r2Objects.ts'

/** The used part of a namespace of Durable Objects. */
export interface LiveNamespace {
  getByName(name: string): { fetch(request: Request | string, init?: RequestInit): Promise<Response> }
}

/** The static assets of the Worker. */
export interface Assets {
  fetch(url: string): Promise<Response>
}

/** Bindings in wrangler.toml. */
export interface Env {
  /** The mirror in R2. */
  readonly MIRROR?: R2Binding
  /** The mirror in Workers KV, for small chains. */
  readonly MIRROR_KV?: KvNamespace
  /** Objects with the WebSockets of subscribers; without it there are none. */
  readonly LIVE?: LiveNamespace
  /** The explorer, as `npm run build:page` writes it; without it there is none. */
  readonly ASSETS?: Assets
  /** Address of the publisher, or `any`. */
  readonly ISONODE_MIRROR_PUBLISHER?: string
  /** Comma-separated groups; default {@link DEFAULT_GROUPS}. */
  readonly ISONODE_API?: string
  /** As for --rpc-http-cors-origins: comma-separated, `*` for any; default none. */
  readonly ISONODE_RPC_HTTP_CORS_ORIGINS?: string
  /** `geth` (default, whose words for an unknown method client libraries know) or `besu`, as for --rpc-profile. */
  readonly ISONODE_RPC_PROFILE?: string
  /** Reads of the store that one request may make. */
  readonly ISONODE_READS_PER_REQUEST?: string
  /** Gas limit of one execution: the clock of the platform stands still, so gas bounds the processor time. */
  readonly ISONODE_RPC_CALL_GAS_CAP?: string
  /** Age of the newest manifest in seconds from which the Worker is not ready. */
  readonly ISONODE_MIRROR_MAX_LAG?: string
  /** `serve` (default) or `refuse`: whether the head is named beyond that age. */
  readonly ISONODE_MIRROR_WHEN_STALE?: string
  /** Secret: the token of the publisher; without it there is no `/publish`. */
  readonly ISONODE_PUBLISH_TOKEN?: string
}

export interface WorkerOptions {
  /** 20 bytes; undefined: the publisher that the mirror names */
  readonly publisher: Uint8Array | undefined
  readonly groups: readonly ApiGroup[]
  readonly corsOrigins: readonly string[]
  readonly profile: 'besu' | 'geth'
  readonly readsPerRequest: number
  readonly gasCap: bigint
  readonly maxLagMs: number
  readonly whenStale: 'serve' | 'refuse'
}

/** Groups whose methods are in the bundle. */
const GROUPS: readonly ApiGroup[] = ['ETH', 'NET', 'WEB3', 'TRACE', 'DEBUG', 'OTS', 'TXPOOL', 'CLIQUE', 'IBFT', 'QBFT']
const DEFAULT_GROUPS = 'ETH,NET,WEB3,TRACE,DEBUG'
const DEFAULT_MAX_LAG_SECONDS = 60

/** @throws {NodeError} INVALID_OPTION that names the variable */
export function workerOptions(env: Env): WorkerOptions {
  return {
    publisher: publisherOf(env.ISONODE_MIRROR_PUBLISHER),
    groups: listed(env.ISONODE_API ?? DEFAULT_GROUPS).map(groupOf),
    corsOrigins: listed(env.ISONODE_RPC_HTTP_CORS_ORIGINS ?? ''),
    profile: choice('ISONODE_RPC_PROFILE', env.ISONODE_RPC_PROFILE, ['geth', 'besu']),
    readsPerRequest: whole('ISONODE_READS_PER_REQUEST', env.ISONODE_READS_PER_REQUEST, WORKER_READS_PER_REQUEST),
    gasCap: BigInt(whole('ISONODE_RPC_CALL_GAS_CAP', env.ISONODE_RPC_CALL_GAS_CAP, WORKER_GAS_CAP)),
    maxLagMs: 1000 * whole('ISONODE_MIRROR_MAX_LAG', env.ISONODE_MIRROR_MAX_LAG, DEFAULT_MAX_LAG_SECONDS),
    whenStale: choice('ISONODE_MIRROR_WHEN_STALE', env.ISONODE_MIRROR_WHEN_STALE, ['serve', 'refuse']),
  }
}

/** Everything that answers depend on, besides the chain. */
export function scopeOf({ publisher, groups, profile, gasCap }: WorkerOptions): string {
  return [publisher === undefined ? 'any' : bytesToHex(publisher), [...groups].sort(), profile, gasCap].join(' ')
}

function publisherOf(text: string | undefined): Uint8Array | undefined {
  if (text === 'any') return undefined
  if (text === undefined || !/^0x[0-9a-f]{40}$/i.test(text)) {
    throw invalid('ISONODE_MIRROR_PUBLISHER', 'the address of the publisher, or any')
  }
  return hexToBytes(text)
}

function groupOf(name: string): ApiGroup {
  const group = GROUPS.find((each) => each === name.toUpperCase())
  if (group === undefined) throw invalid('ISONODE_API', `some of ${GROUPS.join(',')}, not ${name}`)
  return group
}

function choice<T extends string>(name: string, text: string | undefined, choices: readonly [T, ...T[]]): T {
  if (text === undefined) return choices[0]
  const found = choices.find((each) => each === text)
  if (found === undefined) throw invalid(name, choices.join(' or '))
  return found
}

function whole(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault
  if (!/^[1-9]\d{0,11}$/.test(text)) throw invalid(name, 'a whole number above 0')
  return Number(text)
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

function invalid(name: string, expected: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, `${name}: expected ${expected}`)
}
