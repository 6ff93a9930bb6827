/**
 * Shares of the caches and buffers in the memory target of a node.
 * @module
 */
import { MAX_EXECUTION_MEMORY_BYTES, MAX_THREAD_EXECUTION_MEMORY_BYTES } from './evmLimits.ts'
import {
  BODY_CACHE_BYTES,
  CODE_CACHE_BYTES,
  HEADER_CACHE_BYTES,
  LOG_CACHE_BYTES,
  MAX_CANDIDATE_BYTES,
  MAX_OUTBOUND_BYTES,
  MAX_POOL_BYTES,
  RECEIPT_CACHE_BYTES,
  RECENT_STATE_ACCOUNTS,
  RECENT_STATE_SLOTS,
  RECENT_STATES,
  RECENT_TERMS_BYTES,
  SENDER_CACHE_BYTES,
  STATE_ENTRY_BYTES,
  TRACE_RESULT_BYTES,
  TRACED_CHANGES_BYTES,
  TRIE_NODE_CACHE_BYTES,
} from './limits.ts'
import { DEFAULT_MEMORY_DIVISOR, MAX_DEFAULT_MEMORY_BYTES } from './memoryLimits.ts'

const MIB = 1024 * 1024

/** Bounds of the caches and buffers of one thread, bytes. */
export interface MemoryShares {
  /** Decoded trie nodes. */
  readonly nodes: number
  /** Contract code. */
  readonly codes: number
  /** Headers, bodies, receipts, senders and logs together. */
  readonly blocks: number
  /** Accounts and slots of states that are read repeatedly. */
  readonly recentStates: number
  /** Accounts and slots of the newest state. */
  readonly hotState: number
  /** State changes of traced blocks. */
  readonly tracedChanges: number
  /** Answers to traces. */
  readonly traceResults: number
  /** Executions that run or pause. */
  readonly executions: number
  /** Blocks that were executed but not committed. */
  readonly candidates: number
  /** Transaction pool. */
  readonly pool: number
  /** Unsent bytes of all connections. */
  readonly outbound: number
}

export type ShareName = keyof MemoryShares

interface ShareBounds {
  readonly min: number
  readonly max: number
}

const STATE_ENTRIES = RECENT_STATE_ACCOUNTS + RECENT_STATE_SLOTS

/** Memory of the decoded blocks. */
export const BLOCK_CACHE_BYTES: number =
  HEADER_CACHE_BYTES +
  BODY_CACHE_BYTES +
  RECEIPT_CACHE_BYTES +
  SENDER_CACHE_BYTES +
  LOG_CACHE_BYTES +
  RECENT_TERMS_BYTES

/** Bounds of the shares of the main thread. */
export const MAIN_SHARES: Readonly<Record<ShareName, ShareBounds>> = {
  nodes: { min: 8 * MIB, max: TRIE_NODE_CACHE_BYTES },
  codes: { min: 4 * MIB, max: CODE_CACHE_BYTES },
  blocks: { min: 8 * MIB, max: BLOCK_CACHE_BYTES },
  recentStates: { min: 4 * MIB, max: RECENT_STATES * STATE_ENTRIES * STATE_ENTRY_BYTES },
  hotState: { min: 2 * MIB, max: STATE_ENTRIES * STATE_ENTRY_BYTES },
  tracedChanges: { min: 2 * MIB, max: TRACED_CHANGES_BYTES },
  traceResults: { min: MIB, max: TRACE_RESULT_BYTES },
  executions: { min: 48 * MIB, max: MAX_EXECUTION_MEMORY_BYTES },
  candidates: { min: 16 * MIB, max: MAX_CANDIDATE_BYTES },
  pool: { min: 16 * MIB, max: MAX_POOL_BYTES },
  outbound: { min: 16 * MIB, max: MAX_OUTBOUND_BYTES },
}

/** A thread has an eighth of each cache of the main thread, and none of the buffers that only the main thread has. */
const THREAD_PART = 1 / 8
const CACHES = ['nodes', 'codes', 'blocks', 'recentStates', 'hotState', 'tracedChanges'] as const
const THREAD_EXECUTIONS: ShareBounds = { min: 16 * MIB, max: MAX_THREAD_EXECUTION_MEMORY_BYTES }

/** Bounds of the shares of each thread that answers requests. */
export const THREAD_SHARES: Readonly<Record<ShareName, ShareBounds>> = {
  ...(Object.fromEntries(Object.keys(MAIN_SHARES).map((name) => [name, { min: 0, max: 0 }])) as typeof MAIN_SHARES),
  ...Object.fromEntries(
    CACHES.map((name) => {
      const { min, max } = MAIN_SHARES[name]
      return [name, { min: min * THREAD_PART, max: max * THREAD_PART }]
    }),
  ),
  executions: THREAD_EXECUTIONS,
}

const MAIN_SUM = sumOf(MAIN_SHARES)
const THREAD_SUM = sumOf(THREAD_SHARES)

/** The smallest target: with one thread for requests. */
export const MIN_MEMORY_BYTES: number = MAIN_SUM.min + THREAD_SUM.min

export interface MemoryBudget {
  readonly main: MemoryShares
  /** Of each thread that answers requests. */
  readonly thread: MemoryShares
  /** Number of such threads. */
  readonly threads: number
}

/**
 * Divides a target: each share lies between its bounds, all by the same part of the way.
 * @param target bytes, at least MIN_MEMORY_BYTES
 * @param wantedThreads number of threads that answer requests; a small target allows fewer, but at least one
 */
export function memoryBudget(target: number, wantedThreads: number): MemoryBudget {
  const threads = Math.min(wantedThreads, Math.floor((target - MAIN_SUM.min) / THREAD_SUM.min))
  const min = MAIN_SUM.min + threads * THREAD_SUM.min
  const max = MAIN_SUM.max + threads * THREAD_SUM.max
  const part = Math.min(1, (target - min) / (max - min))
  return { main: sharesAt(MAIN_SHARES, part), thread: sharesAt(THREAD_SHARES, part), threads }
}

/** The same with the smallest caches, for a store that itself keeps what is read often. */
export function withSmallestCaches(shares: MemoryShares): MemoryShares {
  return { ...shares, ...Object.fromEntries(CACHES.map((name) => [name, MAIN_SHARES[name].min])) }
}

/** @param machineBytes memory that the process can have; undefined: unknown */
export function defaultMemoryTarget(machineBytes: number | undefined): number {
  if (machineBytes === undefined) return MAX_DEFAULT_MEMORY_BYTES
  const part = Math.floor(machineBytes / DEFAULT_MEMORY_DIVISOR)
  return Math.max(MIN_MEMORY_BYTES, Math.min(part, MAX_DEFAULT_MEMORY_BYTES))
}

/** Sum of the shares of a budget. */
export function budgetBytes({ main, thread, threads }: MemoryBudget): number {
  return total(main) + threads * total(thread)
}

function total(shares: MemoryShares): number {
  return Object.values(shares).reduce((sum: number, bytes: number) => sum + bytes, 0)
}

function sumOf(shares: Readonly<Record<ShareName, ShareBounds>>): ShareBounds {
  let [least, most] = [0, 0]
  for (const { min, max } of Object.values(shares)) {
    least += min
    most += max
  }
  return { min: least, max: most }
}

function sharesAt(bounds: Readonly<Record<ShareName, ShareBounds>>, part: number): MemoryShares {
  const entries = Object.entries(bounds).map(([name, { min, max }]) => [name, Math.floor(min + part * (max - min))])
  return Object.fromEntries(entries) as MemoryShares
}
