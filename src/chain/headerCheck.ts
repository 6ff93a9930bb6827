/**
 * Validates a header without its body, for announcements that are forwarded before the block is imported.
 * @module
 */

import type { Clock } from '../base/ports/host.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { Header } from '../types/block.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { ChainHeader } from './contract.ts'
import type { VerifyContext } from './engine.ts'
import { callForEngine } from './engineCall.ts'
import { checkFinality } from './headRule.ts'
import { ParentReads } from './parentReads.ts'
import { checkRequiredBlock, validateHeader } from './validation/headerRules.ts'

export type HeaderVerdict =
  /** `totalDifficulty`: including the header's own */
  | { readonly kind: 'valid'; readonly totalDifficulty: bigint }
  /** The block is stored. */
  | { readonly kind: 'known'; readonly block: ChainHeader }
  /** The parent or its state is not stored. */
  | { readonly kind: 'unknownParent' }
  /** Ahead of the local clock. */
  | { readonly kind: 'future' }
  | { readonly kind: 'invalid'; readonly reason: string }

export interface CheckedHeader {
  readonly header: Header
  /** 32 bytes */
  readonly hash: Uint8Array
}

interface HeaderCheckDeps {
  readonly blocks: BlockStore
  readonly clock: Clock
}

/** Validates a header on top of its stored parent, with its seal. Stores nothing. */
export async function checkHeader(
  { header, hash }: CheckedHeader,
  { blocks, clock }: HeaderCheckDeps,
  modules: ExecutionModules,
): Promise<HeaderVerdict> {
  const { config, consensus, residency, scheduler } = modules
  const [storedBlock, parent, rival] = await retryMisses(
    () =>
      [blocks.header(hash), blocks.header(header.parentHash), checkFinality(header, hash, blocks, consensus)] as const,
    residency,
  )
  if (storedBlock !== undefined) return { kind: 'known', block: storedBlock }
  if (parent === undefined || parent.stateRoot.isMissing === true) return { kind: 'unknownParent' }
  const nowMs = clock.now()
  // An invalid number could require the cache of a distant epoch.
  if (header.number !== parent.header.number + 1n) {
    return {
      kind: 'invalid',
      reason: `invalid block number: ${header.number}, the parent's is ${parent.header.number}`,
    }
  }
  if (consensus.claimedBy(header).arrival(header, nowMs) === 'future') return { kind: 'future' }
  if (rival !== undefined) return { kind: 'invalid', reason: rival }
  const rules = config.rulesAt(header)
  if (scheduler !== undefined) {
    await consensus.claimedBy(header).prepareSealCheck?.(header, rules, scheduler.turn)
  }
  const reason = await verify({ header, hash }, parent, { blocks, nowMs }, modules)
  return reason === undefined
    ? { kind: 'valid', totalDifficulty: parent.totalDifficulty + header.difficulty }
    : { kind: 'invalid', reason }
}

async function verify(
  { header, hash }: CheckedHeader,
  parent: StoredHeader,
  { blocks, nowMs }: { readonly blocks: BlockStore; readonly nowMs: number },
  modules: ExecutionModules,
): Promise<string | undefined> {
  const { config, consensus, states, residency } = modules
  const choice = consensus.engineFor(header, parent.totalDifficulty)
  if (choice.kind === 'invalid') return choice.reason
  const { engine } = choice
  const rules = config.rulesAt(header)
  const parentReads = new ParentReads({ parent, blocks, states })
  const calling = callForEngine(engine, { parent, blocks }, modules)
  if (calling !== undefined) parentReads.callResult = calling instanceof Promise ? await calling : calling
  const context = (): VerifyContext => ({
    ...parentReads.context(engine, rules),
    verifySeal: true,
    nowMs,
    isOmmer: false,
  })
  return retryMisses(
    () =>
      validateHeader(header, { config, rules, parent: parent.header, engine }) ??
      checkRequiredBlock(header.number, hash, config) ??
      engine.verifyHeader(header, parent.header, context()),
    residency,
  )
}
