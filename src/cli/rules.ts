/**
 * Rules between options.
 * @see docs/reference/cli-and-config.md section 6
 * @module
 */

import { METRIC_CATEGORIES } from '../base/ports/metrics.ts'
import { ALL_API_GROUPS, API_GROUPS } from '../config/apiGroups.ts'
import { type NodeOptions, OPTIONS, type OptionName, type OptionSpec, type OptionTable } from '../config/options.ts'
import { isInMemory } from '../config/storageOptions.ts'
import { checkAvailability, checkDevChain, exclude, exclusive, isIdle } from './devRules.ts'
import { checkPublishing, checkReplica } from './mirrorRules.ts'
import { checkNetworkValues } from './networkRules.ts'
import { wordHint } from './suggest.ts'
import { type CommandLineError, invalidOption } from './values.ts'
import { checkHttpWorkers } from './workerRules.ts'

export { isIdle, runsDevChain } from './devRules.ts'

/** Options whose ports are in use when the option has the value. */
const PORTS: readonly (readonly [option: OptionName, port: OptionName, value?: string])[] = [
  ['rpc-http-enabled', 'rpc-http-port'],
  ['rpc-ws-enabled', 'rpc-ws-port'],
  ['graphql-http-enabled', 'graphql-http-port'],
  ['engine-rpc-enabled', 'engine-rpc-port'],
  ['p2p-enabled', 'p2p-port'],
  ['metrics-enabled', 'metrics-port'],
  ['miner-stratum-enabled', 'miner-stratum-port'],
  ['privacy-enclave', 'privacy-enclave-port', 'EMBEDDED'],
]

/**
 * @param given names of the options that any source sets
 * @param isDev whether the options select the dev chain
 * @param table the options of the node, or also those of a command
 * @throws {NodeError} INVALID_OPTION with the message of the first violated rule
 */
export function checkRules(
  options: NodeOptions,
  given: ReadonlySet<string>,
  isDev: boolean,
  table: OptionTable = OPTIONS,
): void {
  if (options['miner-enabled'] && options['miner-coinbase'] === undefined) {
    throw invalidOption(
      'Unable to mine without a valid coinbase. Either disable mining (remove --miner-enabled) or specify the beneficiary of mining (via --miner-coinbase <Address>)',
    )
  }
  if (options['miner-stratum-enabled'] && !options['miner-enabled']) {
    throw invalidOption(
      'Unable to mine with Stratum if mining is disabled. Either disable Stratum mining (remove --miner-stratum-enabled) or specify mining is enabled (--miner-enabled)',
    )
  }
  if (options['miner-stratum-enabled'] && options['miner-dag'] === 'full') {
    throw invalidOption(
      "--miner-dag=full cannot be combined with --miner-stratum-enabled: the node's own threads then do not mine.",
    )
  }
  exclude(given, 'network', 'genesis-file')
  if (options.dev) exclude(given, 'dev', 'network')
  exclude(given, 'ephemeral', 'data-path')
  if (isInMemory(options) && given.has('data-path')) {
    throw invalidOption('--key-value-storage=MEMORY stores nothing on disk: remove it or --data-path.')
  }
  const { 'pruning-blocks-retained': retained, 'pruning-block-confirmations': confirmations } = options
  if (options['pruning-enabled'] !== false && retained <= confirmations) {
    throw invalidOption('--pruning-blocks-retained must exceed --pruning-block-confirmations.')
  }
  checkVerbosity(options)
  exclude(given, 'state', 'load-state')
  exclude(given, 'state', 'dump-state')
  if (given.has('state-interval') && !given.has('state') && !given.has('dump-state')) {
    throw invalidOption('--state-interval needs --state or --dump-state')
  }
  checkMetrics(options)
  checkAuthentication(options)
  checkTls(options)
  checkHttpWorkers(options)
  checkApis('rpc-http-api', options['rpc-http-api'])
  checkApis('rpc-ws-api', options['rpc-ws-api'])
  checkApis('rpc-ipc-api', options['rpc-ipc-api'])
  checkNetworkValues(options)
  checkPorts(options, given)
  checkStorage(options)
  checkCoinbase(options['miner-coinbase'])
  checkPrivacy(options)
  checkPublishing(options, given, table === OPTIONS)
  checkReplica(options, given)
  checkSupport(options, given, table)
  if (!isDev) checkAvailability(given)
  checkDevChain(options, given)
}

/** Refuses options that would protect the node or change its results, but have no effect in this version. */
function checkSupport(options: NodeOptions, given: ReadonlySet<string>, table: OptionTable): void {
  const refused = [...given].filter((name) => {
    const spec = table[name]
    return spec?.later === 'refused' && !isIdle(options, spec) && !isDefault(options[name as OptionName], spec)
  })
  if (refused.length === 0) return
  const names = refused.map((name) => `--${name}`).join(', ')
  const verb = refused.length === 1 ? 'is' : 'are'
  throw invalidOption(`${names} ${verb} not supported in this version and must be removed.`)
}

function isDefault(value: unknown, spec: OptionSpec): boolean {
  return String(value) === String(spec.default)
}

/** Categories of Besu whose metrics belong to its database: accepted, without a series. */
const OTHER_CATEGORIES: readonly string[] = [
  'KVSTORE_ROCKSDB',
  'KVSTORE_PRIVATE_ROCKSDB',
  'KVSTORE_ROCKSDB_STATS',
  'KVSTORE_PRIVATE_ROCKSDB_STATS',
]

function checkMetrics(options: NodeOptions): void {
  const { 'metrics-enabled': isServed, 'metrics-push-enabled': isPushed, 'metrics-category': categories } = options
  if (isServed && isPushed) throw exclusive('metrics-enabled', 'metrics-push-enabled')
  if ((isServed || isPushed) && options['metrics-protocol'] === 'OPENTELEMETRY') {
    throw invalidOption('--metrics-protocol=OPENTELEMETRY is not supported; use PROMETHEUS')
  }
  const knownCategories: readonly string[] = METRIC_CATEGORIES
  const unknown = categories.find((it) => !knownCategories.includes(it.toUpperCase()) && !OTHER_CATEGORIES.includes(it))
  if (unknown !== undefined) {
    throw invalidOption(
      `Invalid value for option '--metrics-category': '${unknown}' is not a category${wordHint(unknown, knownCategories)}`,
    )
  }
}

function checkVerbosity(options: NodeOptions): void {
  const [first, second] = (['silent', 'quiet', 'verbose'] as const).filter((name) => options[name])
  if (first !== undefined && second !== undefined) throw exclusive(first, second)
}

/** The message of Besu, which names no option, and the options of which one is missing. */
function missingOption(message: string, ...options: readonly OptionName[]): CommandLineError {
  return invalidOption(`${message}\nAdd ${options.map((name) => `--${name}`).join(' or ')}.`)
}

function checkAuthentication(options: NodeOptions): void {
  for (const [prefix, endpoint] of [
    ['rpc-http', 'HTTP'],
    ['rpc-ws', 'WebSocket'],
  ] as const) {
    const isOn = options[`${prefix}-authentication-enabled`]
    const credentials = options[`${prefix}-authentication-credentials-file`]
    const key = options[`${prefix}-authentication-jwt-public-key-file`]
    if (isOn && credentials === undefined && key === undefined) {
      throw missingOption(
        `Unable to authenticate JSON-RPC ${endpoint} endpoint without a supplied credentials file or authentication public key file`,
        `${prefix}-authentication-credentials-file`,
        `${prefix}-authentication-jwt-public-key-file`,
      )
    }
    // Besides its permissions, a socket has no protection: it would serve what needs a token elsewhere.
    if (isOn && options['rpc-ipc-enabled']) throw exclusive('rpc-ipc-enabled', `${prefix}-authentication-enabled`)
  }
}

function checkPrivacy(options: NodeOptions): void {
  if (!options['privacy-enabled']) return
  const hasKey = options['privacy-public-key-file'] !== undefined
  const isEmbedded = options['privacy-enclave'] === 'EMBEDDED'
  if (!options['privacy-multi-tenancy-enabled'] && !hasKey && !isEmbedded) {
    throw missingOption('Please specify Enclave public key file path to enable privacy', 'privacy-public-key-file')
  }
  if (options['privacy-multi-tenancy-enabled']) {
    if (hasKey) throw exclusive('privacy-multi-tenancy-enabled', 'privacy-public-key-file')
    if (!options['rpc-http-authentication-enabled'] && !options['rpc-ws-authentication-enabled']) {
      throw invalidOption(
        'Privacy multi-tenancy requires either http authentication to be enabled or WebSocket authentication to be enabled',
      )
    }
  }
  const mode = options['sync-mode']
  if (mode !== undefined && mode !== 'FULL') throw invalidOption('Fast sync cannot be enabled with privacy.')
  if (options['pruning-enabled']) throw invalidOption('Pruning cannot be enabled with privacy.')
}

function checkTls(options: NodeOptions): void {
  // A socket has no certificates, as it has no tokens.
  if (options['rpc-http-tls-client-auth-enabled'] && options['rpc-ipc-enabled']) {
    throw exclusive('rpc-ipc-enabled', 'rpc-http-tls-client-auth-enabled')
  }
  if (!options['rpc-http-enabled'] && !options['graphql-http-enabled']) return
  if (!options['rpc-http-tls-enabled']) {
    if (!options['rpc-http-tls-client-auth-enabled']) return
    throw invalidOption('--rpc-http-tls-client-auth-enabled needs --rpc-http-tls-enabled')
  }
  if (options['rpc-http-tls-keystore-file'] === undefined) {
    throw missingOption(
      'Keystore file is required when TLS is enabled for JSON-RPC HTTP endpoint',
      'rpc-http-tls-keystore-file',
    )
  }
  const isAnyClientKnown =
    options['rpc-http-tls-ca-clients-enabled'] || options['rpc-http-tls-known-clients-file'] !== undefined
  if (options['rpc-http-tls-client-auth-enabled'] && !isAnyClientKnown) {
    throw missingOption(
      'Known-clients file must be specified or CA clients must be enabled when TLS client authentication is enabled for JSON-RPC HTTP endpoint',
      'rpc-http-tls-known-clients-file',
      'rpc-http-tls-ca-clients-enabled',
    )
  }
}

function checkApis(name: OptionName, apis: readonly string[]): void {
  const invalid = apis.filter((api) => api !== ALL_API_GROUPS && !(API_GROUPS as readonly string[]).includes(api))
  if (invalid.length > 0) {
    throw invalidOption(
      `Invalid value for option '--${name}': invalid entries found [${invalid.join(', ')}]${wordHint(invalid[0] as string, API_GROUPS)}`,
    )
  }
}

/**
 * The dev chain serves WebSockets on the HTTP port in any case: it starts without the separate port when that is
 * occupied, unless the port was requested.
 */
export function isWebSocketPortOptional(given: ReadonlySet<string>): boolean {
  return !given.has('rpc-ws-enabled') && !given.has('rpc-ws-port')
}

/**
 * Whether WebSockets have a separate port. The dev chain opens its default pair of ports, 8545 and 8546; a user who
 * chooses the address of HTTP expects this one address, so that a second node does not compete for 8546.
 */
export function hasWebSocketPort(options: NodeOptions, given: ReadonlySet<string>): boolean {
  if (!options['rpc-ws-enabled']) return false
  const isChosen = given.has('rpc-http-port') || given.has('rpc-http-host')
  if (options['rpc-http-tls-enabled'] && isWebSocketPortOptional(given)) return false
  return !(isChosen && options['rpc-http-enabled'] && isWebSocketPortOptional(given) && !given.has('rpc-ws-host'))
}

function checkPorts(options: NodeOptions, given: ReadonlySet<string>): void {
  const seen = new Set<unknown>()
  for (const [option, name, value = true] of PORTS) {
    const port = options[name]
    if (options[option] !== value || port === 0) continue
    if (name === 'rpc-ws-port' && isWebSocketPortOptional(given)) continue
    if (seen.has(port)) {
      throw invalidOption(
        `Port number '${String(port)}' has been specified multiple times. Please review the supplied configuration.`,
      )
    }
    seen.add(port)
  }
}

function checkStorage(options: NodeOptions): void {
  if (options['data-storage-format'] === 'BONSAI') {
    throw invalidOption("Invalid value for option '--data-storage-format': BONSAI is not supported; use FOREST")
  }
}

function checkCoinbase(coinbase: string | undefined): void {
  if (coinbase !== undefined && !/^(?:0x)?[0-9a-fA-F]{40}$/.test(coinbase)) {
    throw invalidOption(`Invalid value for option '--miner-coinbase': '${coinbase}' is not an address`)
  }
}
