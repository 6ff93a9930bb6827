/**
 * The commands with their summaries. Options of commands are in the option table.
 * @module
 */
import type { CommandName } from '../config/options.ts'

export interface CommandRow {
  readonly summary: string
  /** Arguments that are not options, for the usage line. */
  readonly operands?: string
  /** A whole command line. */
  readonly example: string
}

export const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
  'blocks import': {
    summary: 'Import blocks from files, then exit.',
    operands: '[FILE...]',
    example: 'isonode --genesis-file=genesis.json --data-path=data blocks import blocks.rlp',
  },
  'blocks export': {
    summary: 'Write the blocks of the chain to a file.',
    example: 'isonode --genesis-file=genesis.json --data-path=data blocks export --to=blocks.rlp --start-block=0',
  },
  'db backup': {
    summary: 'Copy the data of a node, which may run meanwhile.',
    example: 'isonode --data-path=data db backup --to=backup',
  },
  'db restore': {
    summary: 'Copy a backup into a new data directory.',
    example: 'isonode --data-path=data db restore --from=backup',
  },
  'db stats': {
    summary: 'Print what fills the database, by column.',
    example: 'isonode --data-path=data db stats',
  },
  'db verify': {
    summary: 'Check blocks, indexes and the state of the head.',
    example: 'isonode --data-path=data db verify --json',
  },
  'db compact': {
    summary: 'Write the database into a new file without free pages.',
    example: 'isonode --data-path=data db compact',
  },
  'db prune': {
    summary: 'Delete the states of old blocks of a stopped node.',
    example: 'isonode --data-path=data db prune --pruning-blocks-retained=1024',
  },
  'mirror push': {
    summary: 'Publish the chain of a stopped node as a mirror.',
    example: 'isonode --data-path=data mirror push --to=file:///srv/chain',
  },
  'mirror info': {
    summary: 'Print what a mirror has.',
    operands: 'URL',
    example: 'isonode mirror info file:///srv/chain',
  },
  'mirror verify': {
    summary: 'Check every object of a mirror.',
    operands: 'URL',
    example: 'isonode mirror verify file:///srv/chain --deep',
  },
  'mirror compact': {
    summary: 'Merge all segments of a mirror.',
    operands: 'URL',
    example: 'isonode --data-path=data mirror compact file:///srv/chain',
  },
  'mirror prune': {
    summary: 'Delete old manifests and objects that nothing names.',
    operands: 'URL',
    example: 'isonode --data-path=data mirror prune file:///srv/chain --keep=100',
  },
  'public-key export': {
    summary: "Print the node's public key.",
    example: 'isonode --data-path=data public-key export --to=key.pub',
  },
  'public-key export-address': {
    summary: "Print the node's address.",
    example: 'isonode --data-path=data public-key export-address',
  },
  'password hash': {
    summary: 'Print the bcrypt hash of a password.',
    example: "isonode password hash --password='a long password'",
  },
  'operator generate-blockchain-config': {
    summary: 'Write the genesis file and keys of a new network.',
    example: 'isonode operator generate-blockchain-config --config-file=config.json --to=network',
  },
  'rlp encode': {
    summary: 'Encode addresses as extra data of a genesis file.',
    example: 'isonode rlp encode --from=validators.json --type=QBFT_EXTRA_DATA',
  },
  enclave: {
    summary: 'Run an enclave for private transactions.',
    example: 'isonode --data-path=data --privacy-enclave-key-files=my.key enclave --rest-port=8888',
  },
  'enclave keys': {
    summary: 'Generate a key pair of an enclave.',
    example: 'isonode enclave keys --to=my.key',
  },
  proxy: {
    summary: 'Serve proven answers of untrusted nodes.',
    example: 'isonode proxy --url=https://rpc.example --genesis-file=genesis.json --trust=genesis',
  },
  replay: {
    summary: 'Run the calls of a recording again, and compare.',
    operands: 'FILE',
    example: 'isonode replay recording.json --fork-pack=fork.pack',
  },
  'validate-config': {
    summary: 'Check a TOML configuration file.',
    example: 'isonode --config-file=config.toml validate-config',
  },
}

export type InfoCommand = 'help' | 'version' | 'completion'

/** Commands that only print something about the program. */
export const INFO_COMMANDS: Readonly<Record<InfoCommand, CommandRow>> = {
  help: {
    summary: 'Print help about a command or a group of options.',
    operands: '[TOPIC]',
    example: 'isonode help blocks import',
  },
  version: { summary: 'Print the version.', example: 'isonode version' },
  completion: {
    summary: 'Print a script that completes command lines.',
    operands: 'bash|zsh|fish',
    example: 'isonode completion bash > ~/.local/share/bash-completion/completions/isonode',
  },
}

export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[]
const INFO_COMMAND_NAMES: readonly InfoCommand[] = Object.keys(INFO_COMMANDS) as InfoCommand[]
/** First words of all commands. */
export const FIRST_WORDS: readonly string[] = [
  ...new Set([...COMMAND_NAMES, ...INFO_COMMAND_NAMES].map((name) => name.split(' ')[0] as string)),
]
