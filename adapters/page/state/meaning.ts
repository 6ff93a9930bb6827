/**
 * Names of contracts and meanings of data, as the node knows them. Answers are kept, because a view shows the same
 * address and the same call many times.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { shortened } from '../format/hex.ts'
import { offers } from '../rpc/capabilities.ts'
import type { ContractInfo, Decoded } from '../rpc/isonode.ts'
import { hasDropped } from './dropped/hasDropped.ts'
import { genesisHash } from './live.ts'
import { capabilities, request } from './node.ts'

/** Answers; with their data they take at most some megabytes. */
const MAX_KEPT = 500
/** Longer data are shown by their selector only. */
const MAX_DECODED_DIGITS = 2 * 8192

/** After this time the node is asked again: a contract may have been created, or an ABI been added. */
const UNKNOWN_MS = 15_000

/** `undefined` while the node is asked, `null` when it does not know. */
export type Meaning<T> = Signal<T | null | undefined>

const kept = new Map<string, Meaning<unknown>>()

/** The contract at an address, by the latest state. */
export function contractAt(address: string): Meaning<ContractInfo> {
  return meaning(`contract ${address.toLowerCase()}`, 'isonode_contractAt', [address])
}

export function decodedCall(data: string, address: string | null): Meaning<Decoded> {
  return decoded(data, 'call', address)
}

export function decodedError(data: string, address: string | null): Meaning<Decoded> {
  return decoded(data, 'error', address)
}

export function decodedLog(log: {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}): Meaning<Decoded> {
  const { address, topics, data } = log
  if (data.length > MAX_DECODED_DIGITS) return signal(null)
  return meaning(`event ${address} ${topics.join()} ${data}`, 'isonode_decode', [{ topics, data }, 'event', address])
}

/** `Vault.withdraw`, by what is known when it is called: the node is not asked. */
export function knownCallName(input: string, address: string): string {
  const contract = known<ContractInfo>(`contract ${address.toLowerCase()}`)
  const call = known<Decoded>(`call ${address} ${input}`)
  const place = contract?.matchedBy === 'code' ? contract.name : shortened(address)
  return `${place}.${call?.name ?? (input.length >= 10 ? input.slice(0, 10) : 'receive')}`
}

function known<T>(key: string): T | null | undefined {
  return (kept.get(chainKeyOf(key)) as Meaning<T> | undefined)?.value
}

function chainKeyOf(key: string): string {
  return `${genesisHash.value ?? ''} ${key}`
}

function decoded(data: string, kind: 'call' | 'error', address: string | null): Meaning<Decoded> {
  if (data.length < 10 || data.length > MAX_DECODED_DIGITS) return signal(null)
  return meaning(
    `${kind} ${address} ${data}`,
    'isonode_decode',
    address === null ? [data, kind] : [data, kind, address],
  )
}

function meaning<T>(key: string, method: string, params: readonly unknown[]): Meaning<T> {
  const chainKey = chainKeyOf(key)
  const before = kept.get(chainKey)
  if (before !== undefined) return before as Meaning<T>
  const found: Meaning<T> = signal(undefined)
  if (!offers(capabilities.value, 'isonode') && !hasDropped()) {
    found.value = null
    return found
  }
  kept.set(chainKey, found)
  const [oldest] = kept.keys()
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  ask<T>(method, params)
    .catch(() => null)
    .then((value) => {
      found.value = value
      if (value === null) setTimeout(() => kept.delete(chainKey), UNKNOWN_MS)
    })
  return found
}

/** The node first; what it does not know may be known from contracts that were dropped on the page. */
async function ask<T>(method: string, params: readonly unknown[]): Promise<T | null> {
  const isOffered = offers(capabilities.value, 'isonode')
  const value = isOffered ? await request<T | null>(method, params).catch(() => null) : null
  if (!hasDropped() || isCertain(value)) return value
  const { explainContract, explainData } = await import('./dropped/explain.ts')
  const [first, kind, address] = params
  const explained = kind === undefined ? await explainContract(first) : await explainData(first, kind, address)
  return (explained as T | undefined) ?? value
}

function isCertain(value: unknown): boolean {
  const { matchedBy, certainty } = (value ?? {}) as Partial<ContractInfo & Decoded>
  return matchedBy === 'code' || certainty === 'contract' || certainty === 'known'
}

/** Asks again for everything, because contracts were dropped on the page. */
export function forgetMeanings(): void {
  kept.clear()
}
