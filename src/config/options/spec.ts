/**
 * The shape of a row of the option table, and the types of values that follow from it.
 * @module
 */
import type { GroupName } from './groups.ts'

/**
 * `quantity`: an unsigned integer of any size, in decimal or 0x-prefixed hex. `ether`: a decimal number of ether; its
 * value is in wei. `list`: texts separated by commas.
 */
export type OptionType = 'boolean' | 'integer' | 'number' | 'quantity' | 'ether' | 'text' | 'list' | 'choice'

export type OptionDefault = boolean | number | bigint | string | readonly string[]

/** The name, which is the key of the row, is also the TOML key; see `environmentNames` for the environment. */
export interface OptionSpec {
  readonly type: OptionType
  /** Absent for options of a command. */
  readonly group?: GroupName
  /** Text without unit and default, which are shown after it. */
  readonly help: string
  /** Unit of a number, in the plural. */
  readonly unit?: OptionUnit
  /** Content of a text or of each item of a list. */
  readonly form?: 'address' | 'directory' | 'file' | 'hex' | 'url' | 'words'
  readonly default?: OptionDefault
  /** Default on the dev chain, if it differs. */
  readonly devDefault?: OptionDefault
  /** Default of a new dev chain; an existing dev chain keeps its value. Excludes `default`. */
  readonly newChainDefault?: OptionDefault
  /** Other names: those of Besu, and those that users of other dev chains know. One letter: written with one dash. */
  readonly aliases?: readonly string[]
  /** Values of a choice, or of each item of a list; in any case. */
  readonly choices?: readonly string[]
  /** Choices of a list that may be followed by `=` and a text. */
  readonly sourced?: readonly string[]
  /** Whether commas belong to the items of a list, each of which is then given by an option. */
  readonly isWhole?: boolean
  /** Value of the option when it is written without one. */
  readonly bareValue?: string
  readonly min?: number | bigint
  readonly max?: number | bigint
  /** `dev`: only the dev chain accepts the option. Absent: every chain. */
  readonly availability?: 'dev'
  /**
   * Without effect in this version. `ignored`: existing command lines start, with a warning. `refused`: the option protects the
   * node or changes its results, so any value but the default prevents the start.
   */
  readonly later?: 'ignored' | 'refused'
  readonly hidden?: boolean
  /** Options that this one sets, which has no other effect: to a value, or to its own. Only for the command line. */
  readonly standsFor?: readonly (readonly [option: string, value?: string])[]
  /** Whether the command needs this option. */
  readonly required?: boolean
  /** Boolean option without which this one has no effect; using it without that option is a warning. */
  readonly needs?: string
}

export type OptionUnit =
  | 'accounts'
  | 'blocks'
  | 'bytes'
  | 'connections'
  | 'ether'
  | 'gas'
  | 'hours'
  | 'milliseconds'
  | 'minutes'
  | 'peers'
  | 'percent'
  | 'requests'
  | 'seconds'
  | 'transactions'
  | 'words'
  | 'wei'

export type OptionTable = Readonly<Record<string, OptionSpec>>

interface ValueTypes {
  readonly boolean: boolean
  readonly integer: number
  readonly number: number
  readonly quantity: bigint
  /** wei */
  readonly ether: bigint
  readonly text: string
  readonly list: readonly string[]
  readonly choice: string
}

type Value<S> = S extends { readonly type: infer T extends OptionType }
  ? T extends 'choice'
    ? S extends { readonly choices: readonly (infer C)[] }
      ? C
      : string
    : ValueTypes[T]
  : never

/** Values by option name; undefined where there is neither a value nor a default. */
export type Values<T> = {
  readonly [K in keyof T]: T[K] extends { readonly default: unknown } | { readonly required: true }
    ? Value<T[K]>
    : Value<T[K]> | undefined
}
