/**
 * The chain id and the forks with which a store's blocks were executed. The genesis block does not contain them.
 * @module
 */
import type { KeyValueReader, Mutation } from '../base/ports/keyValueStore.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Activation, ChainConfig } from '../config/chainConfig.ts'
import { keys } from '../storage/schema.ts'
import type { ChainHeader } from './contract.ts'

/** As it is stored, in JSON. Numbers are decimal texts. */
interface StoredRules {
  readonly chainId: string
  /** Starts of the forks: a block number, or seconds since 1970. */
  readonly forks: Readonly<Record<string, ForkStart>>
}

type ForkStart = { readonly block: string } | { readonly time: string }

function rulesOf({ chainId, options }: ChainConfig): StoredRules {
  const start = (activation: Activation): ForkStart =>
    'block' in activation ? { block: String(activation.block) } : { time: String(activation.time) }
  return {
    chainId: String(chainId),
    forks: Object.fromEntries(options.activations.map((activation) => [activation.fork, start(activation)])),
  }
}

/** Mutations that record the rules, if the store does not have them already. */
export function rulesMutations(config: ChainConfig, kv: KeyValueReader): Mutation[] {
  const text = JSON.stringify(rulesOf(config))
  return storedText(kv) === text ? [] : [{ key: keys.meta('rules'), value: new TextEncoder().encode(text) }]
}

/**
 * Compares the rules of a store with those of the node. Forks above the head may differ. A store of an older build has
 * no record, and is accepted.
 * @throws {NodeError} GENESIS_MISMATCH that names both values
 */
export function verifyRules(config: ChainConfig, kv: KeyValueReader, head: ChainHeader): void {
  const text = storedText(kv)
  if (text === undefined) return
  const [stored, expected] = [JSON.parse(text) as StoredRules, rulesOf(config)]
  if (stored.chainId !== expected.chainId) {
    throw mismatch(
      `the database has a chain with chain id ${stored.chainId}, the configuration has chain id ${expected.chainId}`,
    )
  }
  // The genesis block is not executed.
  const isAtStart = head.header.number === config.firstBlock
  for (const fork of new Set([...Object.keys(stored.forks), ...Object.keys(expected.forks)])) {
    const [before, now] = [stored.forks[fork], expected.forks[fork]]
    if (startText(before) === startText(now) || isAtStart) continue
    if (!(isReached(before, head) || isReached(now, head))) continue
    throw mismatch(
      `the database has ${head.header.number} blocks with the fork ${fork} ${startText(before)}, the configuration has it ${startText(now)}`,
    )
  }
}

/** @returns undefined for a database that does not record it */
export function storedChainId(kv: KeyValueReader): bigint | undefined {
  const text = storedText(kv)
  return text === undefined ? undefined : BigInt((JSON.parse(text) as StoredRules).chainId)
}

function storedText(kv: KeyValueReader): string | undefined {
  const value = kv.get(keys.meta('rules'))
  return value === undefined ? undefined : new TextDecoder().decode(value)
}

function isReached(start: ForkStart | undefined, { header: { number, timestamp } }: ChainHeader): boolean {
  if (start === undefined) return false
  return 'block' in start ? number >= BigInt(start.block) : timestamp >= BigInt(start.time)
}

function startText(start: ForkStart | undefined): string {
  if (start === undefined) return 'never'
  return 'block' in start ? `from block ${start.block}` : `from time ${start.time}`
}

function mismatch(message: string): NodeError<{ code: 'GENESIS_MISMATCH' }> {
  return new NodeError({ code: 'GENESIS_MISMATCH' }, message)
}
