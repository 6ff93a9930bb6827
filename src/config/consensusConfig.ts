/**
 * Consensus configuration of a genesis file: the engine of each block with its settings.
 * @see docs/reference/cli-and-config.md section 9; docs/reference/consensus-clique.md section 1;
 * docs/reference/consensus-ibft-qbft.md section 10
 * @module
 */
import { type BftSettings, checkQbftTransition, parseBftSettings, positive, withTransition } from './bftConfig.ts'
import { BlockSchedule, type ScheduleEntry } from './blockSchedule.ts'
import { GenesisObject, genesisError, invalid, withLowerCaseKeys } from './genesisJson.ts'

type BftConfig<Kind> = Kind extends string
  ? {
      readonly kind: Kind
      /** The section of the genesis file with the transitions up to the block applied; keys in lower case at every level. */
      readonly options: Readonly<Record<string, unknown>>
      readonly settings: BftSettings
    }
  : never

export type ConsensusConfig =
  | { readonly kind: 'ethash'; readonly fixedDifficulty: bigint | undefined }
  | {
      readonly kind: 'clique'
      readonly periodSeconds: number
      readonly epochLength: number
      /** Default true. */
      readonly createsEmptyBlocks?: boolean
    }
  | BftConfig<'ibft2' | 'qbft' | 'ibft'>
  /** Proof of stake from the first block on. */
  | { readonly kind: 'proofOfStake' }
  /** Blocks as under proof of stake, with the forks that the file names, even those before the merge. */
  | { readonly kind: 'instant' }

const DEFAULT_PERIOD_SECONDS = 15
const DEFAULT_EPOCH_LENGTH = 30_000

type EngineKey = 'ethash' | 'ibft2' | 'ibft' | 'qbft' | 'clique'

/** By precedence; a later start of QBFT is a migration. */
const ENGINE_KEYS: readonly EngineKey[] = ['ethash', 'ibft2', 'ibft', 'qbft', 'clique']

export function engineOf(section: GenesisObject): EngineKey {
  const isMigration = migrationBlock(section) !== undefined
  const engineKey = ENGINE_KEYS.find((key) => section.has(key) && !(key === 'qbft' && isMigration))
  return engineKey ?? 'ethash'
}

/**
 * @param section `config` of the genesis file
 * @throws {NodeError} INVALID_GENESIS
 */
export function parseConsensusSchedule(section: GenesisObject): BlockSchedule<ConsensusConfig> {
  if (section.has('instant')) return instantSchedule(section)
  const isStaked = section.integer('terminaltotaldifficulty') === 0n
  return scheduleOf(enginesFrom(section, isStaked ? { kind: 'proofOfStake' } : parseEngine(section, engineOf(section))))
}

function scheduleOf([first, ...changes]: readonly ScheduleEntry<ConsensusConfig>[]): BlockSchedule<ConsensusConfig> {
  return new BlockSchedule((first as ScheduleEntry<ConsensusConfig>).value, changes)
}

/** All engines with their transitions. */
function enginesFrom(section: GenesisObject, first: ConsensusConfig): ScheduleEntry<ConsensusConfig>[] {
  const start = migrationBlock(section)
  const migrations = start === undefined ? [] : [{ block: start, value: parseEngine(section, 'qbft') }]
  const phases = [{ block: 0n, value: first }, ...migrations]
  return phases.flatMap((phase, i) => withTransitions(section, phase, phases[i + 1]?.block))
}

/** `fromBlock`: the blocks before belong to the engines that the file names, as on a chain that a dev chain continues. */
function instantSchedule(section: GenesisObject): BlockSchedule<ConsensusConfig> {
  const value: ConsensusConfig = { kind: 'instant' }
  const block = section.object('instant')?.integer('fromblock')
  if (block === undefined) return new BlockSchedule(value, [])
  const before = enginesFrom(section, parseEngine(section, engineOf(section))).filter((entry) => entry.block < block)
  return scheduleOf([...before, { block, value }])
}

/** First block of QBFT on a chain that started with another engine. */
function migrationBlock(section: GenesisObject): bigint | undefined {
  const startBlock = section.object('qbft')?.integer('startblock')
  if (startBlock === undefined || startBlock === 0n) return undefined
  return section.has('ibft2') || section.has('ibft') || section.has('clique') ? startBlock : undefined
}

function parseEngine(section: GenesisObject, kind: EngineKey): ConsensusConfig {
  if (kind === 'ethash') return { kind, fixedDifficulty: section.object('ethash')?.integer('fixeddifficulty') }
  if (kind !== 'clique') {
    section.object(kind)
    return bftConfig(kind, withLowerCaseKeys(section.get(kind)) as Record<string, unknown>)
  }
  const clique = section.object('clique')
  const periodSeconds = (clique && positive(clique, 'blockperiodseconds')) ?? clique?.smallInteger('period')
  const epochLength = clique?.smallInteger('epochlength') ?? clique?.smallInteger('epoch')
  if (epochLength === 0) throw invalid('epochlength must be greater than 0')
  return {
    kind,
    periodSeconds: periodSeconds ?? DEFAULT_PERIOD_SECONDS,
    epochLength: epochLength ?? DEFAULT_EPOCH_LENGTH,
    ...emptyBlocksOf(clique),
  }
}

interface Transition {
  readonly block: bigint
  readonly fields: GenesisObject
  /** Keys in lower case at every level. */
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * Settings of an engine over its blocks; a transition keeps the settings that it does not name.
 * @param end first block of the next engine; undefined: none
 */
function withTransitions(
  section: GenesisObject,
  phase: ScheduleEntry<ConsensusConfig>,
  end: bigint | undefined,
): ScheduleEntry<ConsensusConfig>[] {
  let { value } = phase
  const changes: ScheduleEntry<ConsensusConfig>[] = []
  for (const transition of parseTransitions(section, value.kind)) {
    if (end !== undefined && transition.block >= end) break
    value = changed(value, transition)
    if (transition.block <= phase.block) changes.length = 0
    changes.push({ block: transition.block > phase.block ? transition.block : phase.block, value })
  }
  return changes[0]?.block === phase.block ? changes : [phase, ...changes]
}

/** Ascending. */
function parseTransitions(section: GenesisObject, kind: ConsensusConfig['kind']): Transition[] {
  const list = section.object('transitions')?.get(kind.toLowerCase()) ?? []
  if (!Array.isArray(list)) throw invalid(`transitions.${kind} must be an array`)
  const transitions = list.map((entry: unknown, i): Transition => {
    const fields = new GenesisObject(entry, `transitions.${kind}[${i}]`)
    const block = fields.integer('block')
    if (block === undefined) throw invalid(`transitions.${kind}[${i}].block is missing`)
    if (block === 0n) throw genesisError('Transition cannot be created for genesis block')
    return { block, fields, options: withLowerCaseKeys(entry) as Record<string, unknown> }
  })
  if (new Set(transitions.map(({ block }) => block)).size < transitions.length) {
    throw genesisError('Duplicate transitions cannot be created for the same block')
  }
  return transitions.sort((a, b) => (a.block < b.block ? -1 : 1))
}

function changed(value: ConsensusConfig, { fields, options }: Transition): ConsensusConfig {
  switch (value.kind) {
    case 'ethash':
      return { ...value, fixedDifficulty: fields.integer('fixeddifficulty') ?? value.fixedDifficulty }
    case 'clique':
      return { ...value, periodSeconds: periodOf(fields) ?? value.periodSeconds, ...emptyBlocksOf(fields) }
    case 'proofOfStake':
    case 'instant':
      return value
    default:
      if (value.kind === 'qbft') checkQbftTransition(fields)
      return bftConfig(value.kind, withTransition(value.options, options))
  }
}

function bftConfig(kind: 'ibft2' | 'qbft' | 'ibft', options: Readonly<Record<string, unknown>>): ConsensusConfig {
  return { kind, options, settings: parseBftSettings(options, kind) }
}

function periodOf(fields: GenesisObject | undefined): number | undefined {
  return fields?.smallInteger('blockperiodseconds')
}

function emptyBlocksOf(fields: GenesisObject | undefined): { readonly createsEmptyBlocks?: boolean } {
  return fields?.has('createemptyblocks') ? { createsEmptyBlocks: fields.boolean('createemptyblocks') } : {}
}
