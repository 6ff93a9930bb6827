/**
 * The only option table. Command line, environment, TOML keys, defaults, types, `--help`, completions and the
 * documentation are derived from it. Names and defaults follow Besu 23.4, except for options that Besu lacks.
 * @module
 */
import { ACCESS_OPTIONS } from './options/access.ts'
import type { COMMAND_OPTIONS } from './options/commands.ts'
import { DEV_OPTIONS } from './options/dev.ts'
import { FORK_OPTIONS } from './options/fork.ts'
import { GENERAL_OPTIONS } from './options/general.ts'
import { MIRROR_OPTIONS } from './options/mirror.ts'
import { NETWORK_OPTIONS } from './options/network.ts'
import { RPC_OPTIONS } from './options/rpc.ts'
import type { OptionDefault, OptionSpec, OptionTable, Values } from './options/spec.ts'

export { COMMAND_OPTIONS } from './options/commands.ts'
export { GROUPS, type GroupName } from './options/groups.ts'
export type { OptionSpec, OptionTable, OptionType, Values } from './options/spec.ts'

type AllOptions = typeof GENERAL_OPTIONS &
  typeof DEV_OPTIONS &
  typeof FORK_OPTIONS &
  typeof RPC_OPTIONS &
  typeof NETWORK_OPTIONS &
  typeof ACCESS_OPTIONS &
  typeof MIRROR_OPTIONS

export const OPTIONS: AllOptions = {
  ...GENERAL_OPTIONS,
  ...DEV_OPTIONS,
  ...FORK_OPTIONS,
  ...RPC_OPTIONS,
  ...NETWORK_OPTIONS,
  ...ACCESS_OPTIONS,
  ...MIRROR_OPTIONS,
}

export type OptionName = keyof AllOptions
export type CommandName = keyof typeof COMMAND_OPTIONS

export type NodeOptions = Values<AllOptions>
export type CommandValues<C extends CommandName> = Values<(typeof COMMAND_OPTIONS)[C]>

/** Returns the defaults of all options. */
export function defaultOptions(isDev: boolean): NodeOptions {
  const table: OptionTable = OPTIONS
  return Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [name, defaultOf(spec, isDev)]),
  ) as unknown as NodeOptions
}

export function defaultOf(spec: OptionSpec, isDev: boolean): OptionDefault | undefined {
  return isDev && spec.devDefault !== undefined ? spec.devDefault : spec.default
}

/** Names of the environment variables of an option, in order of precedence. */
export function environmentNames(option: string): readonly string[] {
  const name = option.toUpperCase().replaceAll('-', '_')
  return [`ISONODE_${name}`, `BESU_${name}`, `PANTHEON_${name}`]
}
