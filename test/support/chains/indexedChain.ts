/** A dev chain whose blocks contain random logs, and the results of searching all of them. */

import { bytesToHex, concatBytes, equalBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader, ChainReader, LogTerms } from '../../../src/chain/contract.ts'
import type { Log } from '../../../src/types/receipt.ts'
import type { Transaction } from '../../../src/types/transaction.ts'
import { transactionHash } from '../../../src/types/transactionCodec.ts'
import type { Random } from '../host/random.ts'
import { ALICE, DEV_CHAIN, sealBlocks } from '../nodes/devChain.ts'
import { devWriter } from './testChain.ts'

export const addressOf = (fill: number): Uint8Array => new Uint8Array(20).fill(fill)

/** Contracts that write a log with their number of topics, read from the input; the fifth writes one topic. */
const LOGGERS = [1, 2, 3, 4, 5].map((number) => addressOf(number + 0xa0))
const LOAD_WORDS = '606035604035602035600035'
const loggerCode = (topics: number): Uint8Array =>
  hexToBytes(`${LOAD_WORDS.slice(6 * (4 - topics))}60006000a${topics}00`)

/** Few enough that filters often match, plus one that hardly any block contains. */
const TOPICS = Array.from({ length: 40 }, (_, i) => new Uint8Array(32).fill(i + 1))

export async function addLoggers(chain: Chain): Promise<void> {
  await devWriter(chain).amendHead((state) => {
    for (const [i, address] of LOGGERS.entries()) state.setCode(address, loggerCode(i < 4 ? i + 1 : 1))
  })
}

/** A transaction without a signature. */
export function impersonated(chainNonce: bigint, to: Uint8Array | undefined, data: Uint8Array, gasLimit = 500_000n) {
  const transaction: Transaction = {
    type: 2,
    chainId: BigInt(DEV_CHAIN),
    nonce: chainNonce,
    maxPriorityFeePerGas: 10n ** 9n,
    maxFeePerGas: 10n ** 10n,
    gasLimit,
    to,
    value: 0n,
    data,
    accessList: [],
    yParity: 0n,
    r: 1n,
    s: 1n,
  }
  const sender = hexToBytes(ALICE.address)
  return { transaction, sender, hash: transactionHash(transaction), isImpersonated: true }
}

export function nextNonce(chain: Chain): bigint {
  return chain.stateAt(chain.head).getAccount(hexToBytes(ALICE.address))?.nonce ?? 0n
}

/**
 * Seals blocks with up to three calls of the loggers on top of the head.
 * @param firstNonce of the sender
 */
export async function sealRandom(
  chain: Chain,
  random: Random,
  count: number,
  firstNonce: bigint = nextNonce(chain),
): Promise<ChainHeader[]> {
  let nonce = firstNonce
  const plans = Array.from({ length: count }, () => ({
    transactions: Array.from({ length: random.below(4) }, () => {
      const words = Array.from({ length: 4 }, () => random.pick(random.chance(80) ? TOPICS.slice(0, 30) : TOPICS))
      return impersonated(nonce++, random.pick(LOGGERS), concatBytes(...words))
    }),
  }))
  return sealBlocks(chain, plans)
}

export function randomTerms(random: Random): LogTerms {
  const some = (values: readonly Uint8Array[]) => Array.from({ length: 1 + random.below(3) }, () => random.pick(values))
  return {
    addresses: random.chance(50) ? some([...LOGGERS, addressOf(0xdd)]) : [],
    topics: Array.from({ length: random.below(4) }, () => (random.chance(70) ? some(TOPICS) : undefined)),
  }
}

const isAny = (alternatives: readonly Uint8Array[], value: Uint8Array | undefined): boolean =>
  value !== undefined && alternatives.some((other) => equalBytes(other, value))

function matches(log: Log, { addresses, topics }: LogTerms): boolean {
  if (log.topics.length < topics.length || (addresses.length > 0 && !isAny(addresses, log.address))) return false
  return topics.every((alternatives, at) => alternatives === undefined || isAny(alternatives, log.topics[at]))
}

/** `block:index` of the matching logs in the given canonical blocks, searched one by one. */
export function scanned(chain: ChainReader, terms: LogTerms, blocks: Iterable<number>): string[] {
  const found: string[] = []
  for (const number of blocks) {
    const hash = chain.canonicalHash(number)
    const logs = hash === undefined ? [] : (chain.receipts(hash) ?? []).flatMap((receipt) => receipt.logs)
    logs.forEach((log, i) => {
      if (matches(log, terms)) found.push(`${number}:${i}:${bytesToHex(log.address)}`)
    })
  }
  return found
}

/** Blocks that have, for each condition, a log that meets it: the result of an exact index. */
export function exactCandidates(chain: ChainReader, terms: LogTerms, from: number, to: number): number[] {
  const single: LogTerms[] = terms.topics.map((alternatives, at) => ({
    addresses: [],
    topics: alternatives === undefined ? [] : [...new Array(at).fill(undefined), alternatives],
  }))
  if (terms.addresses.length > 0) single.push({ addresses: terms.addresses, topics: [] })
  const conditions = single.filter(({ addresses, topics }) => addresses.length + topics.length > 0)
  return numbers(from, to).filter((number) => {
    return (
      chain.canonicalHash(number) !== undefined && conditions.every((one) => scanned(chain, one, [number]).length > 0)
    )
  })
}

export function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
}
