/**
 * Settings of IBFT 2.0, QBFT and legacy IBFT in a genesis file.
 * @see docs/reference/consensus-ibft-qbft.md section 10
 * @module
 */
import { GenesisObject, genesisError, invalid } from './genesisJson.ts'

export interface BftSettings {
  readonly periodSeconds: number
  /** Number of blocks after which open votes are dropped. */
  readonly epochLength: number
  /** Length of round 0, seconds; doubled in each further round. */
  readonly requestTimeoutSeconds: number
  readonly messageQueueLimit: number
  readonly gossipedHistoryLimit: number
  readonly futureMessagesLimit: number
  readonly duplicateMessageLimit: number
  /** Number of heights above the current one whose messages are kept. */
  readonly futureMessagesMaxDistance: number
  /** Receives fees and rewards instead of the proposer, 20 bytes. */
  readonly miningBeneficiary: Uint8Array | undefined
  /** wei */
  readonly blockReward: bigint
  /** The contract that lists the validators, 20 bytes; undefined: validators are in headers and change by votes. */
  readonly validatorContract: Uint8Array | undefined
  /** Replaces the validators for the first block with these settings. */
  readonly validators: readonly Uint8Array[] | undefined
  /** Distance between two blocks without transactions, seconds; undefined: the same as for other blocks (QBFT). */
  readonly emptyBlockPeriodSeconds: number | undefined
  /** Replaces the period in seconds (QBFT, IBFT 2.0). */
  readonly periodMilliseconds: number | undefined
  /** First block with the quorum ⌈2n/3⌉ (legacy IBFT); undefined: none. */
  readonly ceilQuorumBlock: bigint | undefined
}

type Period = Pick<BftSettings, 'periodMilliseconds' | 'periodSeconds'>

/** Least time between two blocks, milliseconds. */
export function periodMsOf({ periodMilliseconds, periodSeconds }: Period): number {
  return periodMilliseconds ?? periodSeconds * 1000
}

/** Least difference between the timestamps of two blocks, seconds. 0 with a period below a second: they may be equal. */
export function leastSecondsOf(settings: Period): number {
  return Math.floor(periodMsOf(settings) / 1000)
}

/** Time after which a block without transactions is due, milliseconds; 0: the same as for other blocks. */
export function emptyPeriodMsOf({ emptyBlockPeriodSeconds = 0 }: BftSettings): number {
  return emptyBlockPeriodSeconds * 1000
}

const CONTRACT_WITHOUT_ADDRESS = 'QBFT transition has config with contract mode but no contract address'
const HEADER_WITHOUT_VALIDATORS =
  'QBFT transition to blockheader mode requires a validators list containing at least one validator'

/**
 * Options with those of a transition applied: it keeps everything that it does not name. A list of validators applies
 * only to the transition that names it.
 */
export function withTransition(
  { validators: _, ...options }: Readonly<Record<string, unknown>>,
  { block: __, ...changes }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const mode = modeOf(new GenesisObject(changes, 'transition')) ?? options['validatorselectionmode']
  return { ...options, ...changes, ...(mode === undefined ? {} : { validatorselectionmode: mode }) }
}

/**
 * Checks a transition by itself.
 * @param fields of the transition
 * @throws {NodeError} INVALID_GENESIS
 */
export function checkQbftTransition(fields: GenesisObject): void {
  const mode = modeOf(fields)
  if (mode === 'contract' && !fields.has('validatorcontractaddress')) throw genesisError(CONTRACT_WITHOUT_ADDRESS)
  if (mode !== 'blockheader') return
  const validators = fields.get('validators')
  if (!Array.isArray(validators) || validators.length === 0) throw genesisError(HEADER_WITHOUT_VALIDATORS)
}

/** Another text has no effect, as in Besu. */
function modeOf(section: GenesisObject): 'contract' | 'blockheader' | undefined {
  const mode = String(section.get('validatorselectionmode')).toLowerCase()
  return mode === 'contract' || mode === 'blockheader' ? mode : undefined
}

/**
 * @param options a section of the genesis file with transitions applied, keys in lower case
 * @throws {NodeError} INVALID_GENESIS
 */
export function parseBftSettings(options: Readonly<Record<string, unknown>>, kind: string): BftSettings {
  const section = new GenesisObject(options, kind)
  const limit = (key: string, fallback: number): number => section.smallInteger(key) ?? fallback
  return {
    periodSeconds: positive(section, 'blockperiodseconds') ?? 1,
    epochLength: epochLengthOf(section),
    requestTimeoutSeconds: limit('requesttimeoutseconds', 1),
    messageQueueLimit: limit('messagequeuelimit', 1000),
    gossipedHistoryLimit: limit('gossipedhistorylimit', 1000),
    futureMessagesLimit: limit('futuremessageslimit', 1000),
    duplicateMessageLimit: limit('duplicatemessagelimit', 100),
    futureMessagesMaxDistance: limit('futuremessagesmaxdistance', 10),
    miningBeneficiary: beneficiaryOf(section),
    blockReward: blockRewardOf(section),
    validatorContract: kind === 'qbft' ? validatorContractOf(section) : undefined,
    validators: validatorsOf(section),
    emptyBlockPeriodSeconds: kind === 'qbft' ? positive(section, 'xemptyblockperiodseconds', true) : undefined,
    periodMilliseconds: kind === 'ibft' ? undefined : positive(section, 'xblockperiodmilliseconds', true),
    ceilQuorumBlock: kind === 'ibft' ? section.integer('ceil2nby3block') : undefined,
  }
}

/**
 * @param zeroIsNone whether 0 means that the key is absent
 * @throws {NodeError} INVALID_GENESIS
 */
export function positive(section: GenesisObject, key: string, zeroIsNone = false): number | undefined {
  const value = section.smallInteger(key)
  if (value !== 0) return value
  if (zeroIsNone) return undefined
  throw genesisError(`Invalid property value, ${key} should be a positive integer: 0`)
}

function epochLengthOf(section: GenesisObject): number {
  const length = section.smallInteger('epochlength') ?? 30_000
  if (length === 0) throw genesisError('Epoch length in config must be greater than zero')
  return length
}

function blockRewardOf(section: GenesisObject): bigint {
  const value = section.get('blockreward')
  if (value === undefined) return 0n
  if (typeof value !== 'string') throw genesisError(`Expected string value but got ${typeof value}`)
  if (/^-\d+$/.test(value)) throw genesisError('Bft Block reward in config cannot be negative')
  return section.integer('blockreward') ?? 0n
}

/** A blank address switches off the contract of an earlier transition. */
function beneficiaryOf(section: GenesisObject): Uint8Array | undefined {
  const value = section.get('miningbeneficiary')
  return typeof value === 'string' && value.trim() === '' ? undefined : addressOf(section, 'miningbeneficiary')
}

function validatorContractOf(section: GenesisObject): Uint8Array | undefined {
  return modeOf(section) === 'blockheader' ? undefined : addressOf(section, 'validatorcontractaddress')
}

function validatorsOf(section: GenesisObject): readonly Uint8Array[] | undefined {
  const value = section.get('validators')
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length === 0) throw invalid('validators must be a list of addresses, not empty')
  return value.map((address: unknown, i) => {
    const name = `validators[${i}]`
    return addressOf(new GenesisObject({ [name]: address }, 'validators'), name) as Uint8Array
  })
}

function addressOf(section: GenesisObject, key: string): Uint8Array | undefined {
  const address = section.bytes(key)
  if (address === undefined || address.length === 20) return address
  throw invalid(`${key} must be an address of 20 bytes but has ${address.length}`)
}
