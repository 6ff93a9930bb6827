/**
 * The commands with their summaries. Options of commands are in the option table.
 * @module
 */
import type { CommandName } from '../config/options.ts'

export interface CommandRow {
  readonly summary: string
  /** Arguments that are not options, for the usage line. */
  readonly operands?: string
}

export const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
  'blocks import': { summary: 'Import blocks from files, then exit.', operands: '[FILE...]' },
  'blocks export': { summary: 'Write the blocks of the chain to a file.' },
  'public-key export': { summary: "Print the node's public key." },
  'public-key export-address': { summary: "Print the node's address." },
  'password hash': { summary: 'Print the bcrypt hash of a password.' },
  'operator generate-blockchain-config': { summary: 'Write the genesis file and the node keys of a new network.' },
  'rlp encode': { summary: 'Encode addresses as the extra data of a genesis file.' },
  enclave: { summary: 'Run an enclave for private transactions.' },
  'enclave keys': { summary: 'Generate a key pair of an enclave.' },
  'validate-config': { summary: 'Check a TOML configuration file.' },
}

export type InfoCommand = 'help' | 'version' | 'completion'

/** Commands that only print something about the program. */
export const INFO_COMMANDS: Readonly<Record<InfoCommand, CommandRow>> = {
  help: { summary: 'Print help about a command or a group of options.', operands: '[TOPIC]' },
  version: { summary: 'Print the version.' },
  completion: { summary: 'Print a script that completes command lines.', operands: 'bash|zsh|fish' },
}

export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[]
export const INFO_COMMAND_NAMES: readonly InfoCommand[] = Object.keys(INFO_COMMANDS) as InfoCommand[]
/** First words of all commands. */
export const FIRST_WORDS: readonly string[] = [
  ...new Set([...COMMAND_NAMES, ...INFO_COMMAND_NAMES].map((name) => name.split(' ')[0] as string)),
]
