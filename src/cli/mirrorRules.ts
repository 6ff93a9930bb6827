import { type GroupName, type NodeOptions, OPTIONS, type OptionName, type OptionTable } from '../config/options.ts'
import { isFork, isInMemory } from '../config/storageOptions.ts'
import { invalidOption } from './values.ts'

const PUBLISHING: readonly OptionName[] = ['mirror-interval', 'mirror-key-file', 'mirror-history', 'mirror-grace']

/**
 * Rules of the options of a publisher.
 * @param given names of the options that any source sets
 * @param isNode whether a node is started; a command has its own address
 * @throws {NodeError} INVALID_OPTION
 */
export function checkPublishing(options: NodeOptions, given: ReadonlySet<string>, isNode: boolean): void {
  const isPublisher = options['mirror-to'] !== undefined
  historyBlocks(options)
  const idle = PUBLISHING.find((name) => given.has(name))
  if (isNode && !isPublisher && idle !== undefined) throw invalidOption(`--${idle} needs --mirror-to.`)
  if (!isPublisher) return
  if (isFork(options))
    throw invalidOption('--mirror-to cannot be combined with a fork: the mirror would lack its state.')
  if (isInMemory(options)) {
    throw invalidOption(
      '--mirror-to needs a database on disk: remove --ephemeral, or name a directory with --data-path.',
    )
  }
}

/**
 * Number of newest blocks that a mirror keeps whole; undefined: all.
 * @throws {NodeError} INVALID_OPTION
 */
export function historyBlocks({ 'mirror-history': value }: NodeOptions): number | undefined {
  if (value === 'all') return undefined
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value)
  throw invalidOption(`Invalid value for option '--mirror-history': '${value}' is neither a number of blocks nor all`)
}

const READING: readonly OptionName[] = [
  'mirror-publisher',
  'mirror-verify',
  'mirror-checkpoint',
  'mirror-poll',
  'mirror-cache',
  'mirror-max-lag',
  'mirror-when-stale',
  'mirror-upstream',
]

/** A replica neither writes a chain nor has peers, so these would have no effect. */
const WRITING_GROUPS: ReadonlySet<GroupName | undefined> = new Set<GroupName>([
  'dev',
  'accounts',
  'mining',
  'fork',
  'pool',
  'storage',
  'p2p',
  'engine',
  'permissioning',
  'privacy',
])
const WRITING: ReadonlySet<string> = new Set<OptionName>([
  'mirror-to',
  'network',
  'genesis-file',
  'plugins',
  'evm-cross-check',
  'abi',
  'verbose',
])
/** A program that starts a replica sets them itself. */
const HARMLESS: ReadonlySet<string> = new Set<OptionName>(['ephemeral', 'p2p-enabled'])

/**
 * Rules of the options of a replica.
 * @param given names of the options that any source sets
 * @throws {NodeError} INVALID_OPTION
 */
export function checkReplica(options: NodeOptions, given: ReadonlySet<string>): void {
  if (options['mirror-from'] === undefined) {
    const idle = READING.find((name) => given.has(name))
    if (idle !== undefined) throw invalidOption(`--${idle} needs --mirror-from.`)
    return
  }
  const table: OptionTable = OPTIONS
  const writing = [...given].find(
    (name) => WRITING.has(name) || (WRITING_GROUPS.has(table[name]?.group) && !HARMLESS.has(name)),
  )
  if (writing !== undefined) {
    throw invalidOption(`--${writing} cannot be combined with --mirror-from: a replica only reads a chain.`)
  }
  const publisher = options['mirror-publisher']
  if (publisher === undefined) {
    throw invalidOption('--mirror-from needs --mirror-publisher: the address that the publisher prints, or any.')
  }
  if (publisher !== ANY_PUBLISHER && !/^0x[0-9a-fA-F]{40}$/.test(publisher)) {
    throw invalidOption(`Invalid value for option '--mirror-publisher': '${publisher}' is neither an address nor any`)
  }
  checkCheckpoint(options)
}

function checkCheckpoint({ 'mirror-checkpoint': checkpoint, 'mirror-verify': verify }: NodeOptions): void {
  if (checkpoint === undefined) return
  if (verify !== 'seals') throw invalidOption('--mirror-checkpoint needs --mirror-verify=seals.')
  if (/^0x[0-9a-fA-F]{64}$/.test(checkpoint)) return
  throw invalidOption(`Invalid value for option '--mirror-checkpoint': '${checkpoint}' is not the hash of a block`)
}

/** Value of `--mirror-publisher` that trusts the publisher which the mirror names. */
export const ANY_PUBLISHER = 'any'
