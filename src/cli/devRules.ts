/**
 * Rules between the options of the dev chain, which a page has as well.
 * @module
 */
import { type NodeOptions, OPTIONS, type OptionName, type OptionSpec, type OptionTable } from '../config/options.ts'
import { isFork } from '../config/storageOptions.ts'
import { invalidOption, type RawValue } from './values.ts'

/** The dev chain is the default without a network, a genesis file and a mirror; a fork is always one, and its file says the rules of the remote. */
export function runsDevChain(raw: ReadonlyMap<string, RawValue>): boolean {
  if (String(raw.get('dev')).toLowerCase() === 'true' || raw.has('fork-url') || raw.has('fork-pack')) return true
  return !(raw.has('network') || raw.has('genesis-file') || raw.has('mirror-from'))
}

/** Properties of a dev chain that a genesis file determines. */
const FILE_PROPERTIES: readonly OptionName[] = [
  'chain-id',
  'dev-fork',
  'gas-limit',
  'base-fee',
  'code-size-limit',
  'timestamp',
  'number',
  'predeploys',
]

export function checkDevChain(options: NodeOptions, given: ReadonlySet<string>): void {
  const fixed = FILE_PROPERTIES.find((name) => given.has(name))
  if (fixed !== undefined && given.has('genesis-file')) {
    throw invalidOption(`--${fixed} cannot be combined with --genesis-file: the file determines it.`)
  }
  checkFork(options, given)
  exclude(given, 'mnemonic', 'mnemonic-random')
  if (options.predeploys?.includes('none') === true && options.predeploys.length > 1) {
    throw invalidOption('--predeploys=none cannot be combined with other names.')
  }
  if (options['mixed-mining'] && options['dev-block-time'] === 0) {
    throw invalidOption('--mixed-mining needs --dev-block-time: without it, every transaction is mined immediately.')
  }
  if (options['no-mining'] && options['dev-block-time'] > 0) throw exclusive('no-mining', 'dev-block-time')
  if (options['allow-unlimited-gas'] === true) exclude(given, 'allow-unlimited-gas', 'rpc-call-gas-cap')
}

/** Properties of a dev chain that the block it continues determines. */
const FORK_PROPERTIES: readonly OptionName[] = ['timestamp', 'number', 'predeploys']

function checkFork(options: NodeOptions, given: ReadonlySet<string>): void {
  const fork = [...given].find((name) => name.startsWith('fork-'))
  if (!isFork(options)) {
    if (fork === undefined) return
    throw invalidOption(`--${fork} needs --fork-url, or --fork-pack.`)
  }
  const fixed = FORK_PROPERTIES.find((name) => given.has(name))
  if (fixed !== undefined)
    throw invalidOption(`--${fixed} cannot be combined with --${fork}: the remote determines it.`)
  exclude(given, 'fork-block-number', 'fork-transaction-hash')
  if (options['fork-verify'] === 'quorum' && options['fork-url'].length < 2) {
    throw invalidOption('--fork-verify=quorum needs two addresses: repeat --fork-url.')
  }
}

/** Refuses options of the dev chain on other chains, where they would have no effect. */
export function checkAvailability(given: ReadonlySet<string>): void {
  const table: OptionTable = OPTIONS
  const devOption = [...given].find((name) => table[name]?.availability === 'dev')
  if (devOption === undefined) return
  const chain = given.has('network') ? '--network' : '--genesis-file'
  const advice = chain === '--network' ? `remove it or ${chain}` : 'remove it, or add --dev to mine on that genesis'
  throw invalidOption(`--${devOption} applies only to the dev chain: ${advice}.`)
}

/** Whether the option has no effect because another one is off. */
export function isIdle(options: NodeOptions, { needs }: OptionSpec): boolean {
  return needs !== undefined && options[needs as OptionName] === false
}

export function exclude(given: ReadonlySet<string>, first: OptionName, second: OptionName): void {
  if (given.has(first) && given.has(second)) throw exclusive(first, second)
}

export function exclusive(first: string, second: string): Error {
  return invalidOption(
    `--${first} option and --${second} option can't be used at the same time.  Please refer to CLI reference for more details about this constraint.`,
  )
}
