/**
 * The parameters that distinguish chains: identity, fork schedule, consensus. Built from a genesis file
 * (config/genesisFile.ts) or a named network (config/networks.ts); immutable afterwards.
 * @module
 */
import { BlockSchedule, type ScheduleEntry } from './blockSchedule.ts'
import type { ConsensusConfig } from './consensusConfig.ts'
import { type BlobParameters, type ForkName, type ForkRules, forkRules } from './forks.ts'

/** The start of a fork: a block number, a timestamp (seconds), or the merge. */
export type Activation =
  | { readonly fork: ForkName; readonly block: bigint }
  | { readonly fork: ForkName; readonly time: bigint }

export interface ChainConfigOptions {
  readonly chainId: bigint
  readonly networkId: bigint
  /** Number of the genesis block; default: 0. */
  readonly firstBlock?: bigint
  /** In order of activation. */
  readonly activations: readonly Activation[]
  readonly consensus: ConsensusConfig
  /** Other engines, or other settings of the engine, from a block on; ascending. */
  readonly consensusChanges?: readonly ScheduleEntry<ConsensusConfig>[]
  /** Terminal total difficulty: the chain is proof of stake after reaching it; undefined: never. */
  readonly terminalTotalDifficulty: bigint | undefined
  /** First block of the DAO's irregular state change; undefined: none. */
  readonly daoForkBlock?: bigint
  /** Block of a fork that this chain refused: it changes no rules, but is part of the fork id, as in geth. */
  readonly refusedForkBlock?: bigint
  /** A block that must have this hash (the chain that refused the DAO fork). */
  readonly requiredBlock?: { readonly number: bigint; readonly hash: Uint8Array }
  /** ECIP-1017 era length in blocks. */
  readonly eraRounds?: bigint
  /** EIP-170 limit in bytes; undefined: the fork's limit. */
  readonly contractSizeLimit?: number
  /** Whether EIP-7825 does not apply (dev chains). */
  readonly hasUnlimitedGas?: boolean
  /** Whether the base fee is always 0 (private networks). */
  readonly zeroBaseFee?: boolean
  /** EIP-7840 overrides by fork. */
  readonly blobSchedule?: ReadonlyMap<ForkName, BlobParameters>
  /** EIP-6110; undefined: the main network's. 20 bytes. */
  readonly depositContractAddress?: Uint8Array
  /** The `config` section of the genesis file, unchanged (plain JSON), for admin_nodeInfo and eth_config. */
  readonly source: Readonly<Record<string, unknown>>
}

const TRANSACTION_GAS_LIMIT_EIP = 7825

/** The header fields that select the rules. */
export interface RulesPoint {
  readonly number: bigint
  readonly timestamp: bigint
  /** 0 after the merge. */
  readonly difficulty: bigint
}

export class ChainConfig {
  readonly options: ChainConfigOptions
  /** Engine and settings of each block before the merge. */
  readonly consensus: BlockSchedule<ConsensusConfig>
  readonly #byBlock: readonly { readonly block: bigint; readonly rules: ForkRules }[]
  readonly #byTime: readonly { readonly time: bigint; readonly rules: ForkRules }[]
  readonly #paris: ForkRules

  constructor(options: ChainConfigOptions) {
    this.options = options
    this.consensus = new BlockSchedule(options.consensus, options.consensusChanges)
    this.#byBlock = options.activations.flatMap((a) =>
      'block' in a ? [{ block: a.block, rules: this.#rules(a.fork) }] : [],
    )
    this.#byTime = options.activations.flatMap((a) =>
      'time' in a ? [{ time: a.time, rules: this.#rules(a.fork) }] : [],
    )
    this.#paris = forkRules('paris')
  }

  get chainId(): bigint {
    return this.options.chainId
  }

  get networkId(): bigint {
    return this.options.networkId
  }

  /** Number of the genesis block. */
  get firstBlock(): bigint {
    return this.options.firstBlock ?? 0n
  }

  #rules(fork: ForkName): ForkRules {
    const blobs = this.options.blobSchedule?.get(fork)
    const rules = blobs === undefined ? forkRules(fork) : { ...forkRules(fork), blobs }
    if (this.options.hasUnlimitedGas !== true || !rules.eips.has(TRANSACTION_GAS_LIMIT_EIP)) return rules
    return { ...rules, eips: new Set([...rules.eips].filter((eip) => eip !== TRANSACTION_GAS_LIMIT_EIP)) }
  }

  /** Returns the rules for a block with this header. The objects are identical for all blocks of a fork. */
  rulesAt(point: RulesPoint): ForkRules {
    for (let i = this.#byTime.length - 1; i >= 0; i--) {
      const entry = this.#byTime[i] as { time: bigint; rules: ForkRules }
      if (point.timestamp >= entry.time) return entry.rules
    }
    if (this.isProofOfStake(point)) return this.#paris
    for (let i = this.#byBlock.length - 1; i >= 0; i--) {
      const entry = this.#byBlock[i] as { block: bigint; rules: ForkRules }
      if (point.number >= entry.block) return entry.rules
    }
    return forkRules('frontier')
  }

  /** Whether this header belongs to the proof-of-stake part of the chain. */
  isProofOfStake(point: RulesPoint): boolean {
    if (this.options.consensus.kind === 'proofOfStake') return point.number > this.firstBlock || point.difficulty === 0n
    return this.options.terminalTotalDifficulty !== undefined && point.difficulty === 0n
  }
}
