/**
 * Warnings about options that are accepted but do not have the effect that they name.
 * @module
 */
import { type NodeOptions, OPTIONS, type OptionName, type OptionTable } from '../config/options.ts'
import { isIdle } from './rules.ts'

/** Options of JSON-RPC over HTTP that apply to GraphQL as well. */
const SHARED_WITH_GRAPHQL: ReadonlySet<string> = new Set([
  'rpc-http-tls-enabled',
  'rpc-http-compression-enabled',
  'rpc-http-max-active-connections',
])

/** Options of the group `p2p` that have an effect without peers. */
const WITHOUT_PEERS: ReadonlySet<string> = new Set(['network-id', 'node-private-key-file', 'security-module'])

/** Warnings of single options; undefined: the value needs none. */
const OWN_WARNINGS: Partial<Record<string, (options: NodeOptions) => string | undefined>> = {
  'sync-mode': ({ 'sync-mode': mode }) =>
    mode === 'FULL'
      ? undefined
      : `--sync-mode=${mode} is not supported: the node synchronises in full, and executes all blocks.`,
  'fast-sync-min-peers': () =>
    '--fast-sync-min-peers has no effect: the node synchronises in full, from the first peer on.',
}

/**
 * Warnings about the given options, one line each.
 * @param isDev whether the options select the dev chain
 * @param table the options of a command
 */
export function warningsOf(
  options: NodeOptions,
  given: ReadonlySet<string>,
  isDev: boolean,
  table: OptionTable = OPTIONS,
): string[] {
  const later: string[] = []
  const withoutPeers: string[] = []
  const own: string[] = []
  const idle = new Map<string, string[]>()
  for (const name of given) {
    const spec = table[name]
    if (spec === undefined) continue
    const servesGraphql = options['graphql-http-enabled'] && SHARED_WITH_GRAPHQL.has(name)
    if (!servesGraphql && isIdle(options, spec) && spec.needs !== undefined) {
      idle.set(spec.needs, [...(idle.get(spec.needs) ?? []), `--${name}`])
    } else if (isDev && spec.group === 'p2p' && !WITHOUT_PEERS.has(name)) {
      if (options[name as OptionName] !== false) withoutPeers.push(`--${name}`)
    } else if (OWN_WARNINGS[name] !== undefined) {
      own.push(OWN_WARNINGS[name](options) ?? '')
    } else if (spec.later === 'ignored') later.push(`--${name}`)
  }
  return [
    ...[...idle].map(
      ([main, names]) => `${names.join(', ')} will have no effect unless --${main} is defined on the command line.`,
    ),
    ...(withoutPeers.length === 0 ? [] : [`${haveNoEffect(withoutPeers)} on the dev chain, which has no peers.`]),
    ...own.filter((warning) => warning !== ''),
    ...(later.length === 0 ? [] : [`${haveNoEffect(later)} in this version.`]),
  ]
}

function haveNoEffect(names: readonly string[]): string {
  return `${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} no effect`
}
