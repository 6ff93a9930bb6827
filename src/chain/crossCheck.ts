/**
 * `--evm-cross-check`: executes every block a second time with a code base that shares neither transaction nor block
 * rules with ours.
 * @module
 */

import { bytesToHex } from '../base/primitives/bytes.ts'
import { loadWithEthereumJs } from '../base/primitives/optionalPackage.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { encodeBlock } from '../types/blockCodec.ts'
import type { CrossCheckInput, PreStateAccount } from './crossCheck/input.ts'
import { type BlockSummary, differences, summarize } from './crossCheck/summary.ts'

/** Everything needed to execute the block again elsewhere; plain JSON. */
export interface MismatchReport {
  readonly fork: string
  readonly chainId: string
  /** RLP */
  readonly block: string
  readonly senders: readonly string[]
  readonly parentStateRoot: string
  /** By address. Accounts that did not exist are omitted. */
  readonly preState: Readonly<Record<string, PreStateAccount>>
  /** By block number; the ancestors that BLOCKHASH requested. */
  readonly blockHashes: Readonly<Record<string, string>>
  readonly differences: readonly string[]
  readonly ours: BlockSummary
  readonly theirs: BlockSummary
}

type RunVm = typeof import('./crossCheck/runVm.ts').runVm

/** Executes a block again. The result is undefined when both agree. */
export type CrossCheck = (input: CrossCheckInput) => Promise<MismatchReport | undefined>

/**
 * Loads the other code base. Hosts for pages do not import this module: bundlers would look for its packages.
 * @throws {NodeError} MISSING_PACKAGE
 */
export async function loadCrossCheck(): Promise<CrossCheck> {
  const { runVm } = await loadWithEthereumJs(() => import('./crossCheck/runVm.ts'), '--evm-cross-check')
  return (input) => crossCheck(input, runVm)
}

async function crossCheck(input: CrossCheckInput, runVm: RunVm): Promise<MismatchReport | undefined> {
  const ours = summarize(input.outcome, input.stateRoot)
  const run = await runVm(input)
  const root = await retryMisses(() => input.state.rootHash(), input.residency)
  const theirs = summarize(run.outcome, root)
  const disagreements = differences(ours, theirs)
  if (disagreements.length === 0) return undefined
  return {
    fork: input.rules.name,
    chainId: (input.dev?.chainId ?? input.config.chainId).toString(),
    block: bytesToHex(encodeBlock(input.block)),
    senders: input.senders.map(bytesToHex),
    parentStateRoot: bytesToHex(input.parentStateRoot),
    preState: run.preState,
    blockHashes: run.blockHashes,
    differences: disagreements,
    ours,
    theirs,
  }
}
