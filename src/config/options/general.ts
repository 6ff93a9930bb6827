/**
 * Options of the program and of its data.
 * @module
 */
import { MIN_MEMORY_BYTES } from '../../base/limits/memoryShares.ts'
import { METRIC_CATEGORIES } from '../../base/ports/metrics.ts'

// biome-ignore format: one option per line reads as a table
export const GENERAL_OPTIONS = {
  'help': { type: 'boolean', group: 'general', default: false, help: 'Show this help and exit.', aliases: ['h'] },
  'version': { type: 'boolean', group: 'general', default: false, help: 'Print the version and exit.', aliases: ['V', 'v'] },
  'genesis-file': { type: 'text', group: 'general', form: 'file', help: 'Genesis file in Besu or geth format; cannot be combined with --network.' },
  'network': { type: 'choice', group: 'general', choices: ['MAINNET', 'GOERLI', 'SEPOLIA', 'RINKEBY', 'DEV', 'FUTURE_EIPS', 'EXPERIMENTAL_EIPS', 'CLASSIC', 'KOTTI', 'MORDOR'], help: 'Named network, in upper or lower case; cannot be combined with --genesis-file.' },
  'config-file': { type: 'text', group: 'general', form: 'file', help: 'TOML file with options; its keys are the option names without dashes.' },
  'identity': { type: 'text', group: 'general', help: 'Name shown in web3_clientVersion.' },
  'plugins': { type: 'list', group: 'general', form: 'file', default: [], help: 'Modules of plugins to run in the node: files, or installed packages.' },
  'pid-path': { type: 'text', group: 'general', form: 'file', help: 'File for the process ID; removed on exit.' },

  'logging': { type: 'choice', group: 'logging', default: 'INFO', choices: ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'], help: 'Log level.', aliases: ['l'] },
  'silent': { type: 'boolean', group: 'logging', default: false, help: 'Print nothing but fatal errors.' },
  'quiet': { type: 'boolean', group: 'logging', default: false, help: 'Print the banner and warnings only.', aliases: ['q'] },
  'verbose': { type: 'boolean', group: 'logging', default: false, help: 'Dev chain: print the calls of each transaction. -vv to -vvvvv are the same.' },
  'abi': { type: 'list', group: 'logging', form: 'directory', default: [], help: 'Directories with the artifacts or the build information of Hardhat or Foundry, for names and sources of contracts in the methods of group ISONODE. On the dev chain, the log then names contracts, functions and errors, and failures have Solidity stack traces in the log and in errors.' },
  'logging-format': { type: 'choice', group: 'logging', default: 'TEXT', choices: ['TEXT', 'JSON'], help: 'Form of the log and of all other messages: text, or one JSON object per line.' },
  'json': { type: 'boolean', group: 'logging', help: 'The same as --logging-format=json.', standsFor: [['logging-format', 'JSON']] },
  'color-enabled': { type: 'boolean', group: 'logging', help: 'Use colours (default: on a terminal, subject to NO_COLOR and FORCE_COLOR).' },
  'log-links': { type: 'choice', group: 'logging', default: 'auto', choices: ['auto', 'never'], help: 'Whether hashes and addresses in the log of the dev chain are links to the explorer: on a terminal that is known to support links, or never.' },
  'reorg-logging-threshold': { type: 'integer', group: 'logging', unit: 'blocks', default: 6, min: 0, help: 'Log a warning when a reorganisation removes more than this number of blocks.' },

  'data-path': { type: 'text', group: 'storage', form: 'directory', help: 'Data directory (default: .isonode/<network>).' },
  'ephemeral': { type: 'boolean', group: 'storage', default: false, help: 'Keep all data in memory, nothing on disk.' },
  'key-value-storage': { type: 'choice', group: 'storage', default: 'LMDB', choices: ['LMDB', 'ROCKSDB', 'MEMORY'], help: "Storage engine: LMDB (alias ROCKSDB), or MEMORY, the same as --ephemeral." },
  'data-storage-format': { type: 'choice', group: 'storage', default: 'FOREST', choices: ['FOREST', 'BONSAI'], help: 'State storage; FOREST keeps every historical state.' },
  'data-durability': { type: 'choice', group: 'storage', default: 'power', devDefault: 'process', choices: ['power', 'process'], help: 'Committed blocks survive a power failure, or only a killed program.' },
  'pruning-enabled': { type: 'boolean', group: 'storage', help: 'Delete the states of old blocks (default: only on a dev chain in memory).' },
  'pruning-blocks-retained': { type: 'integer', group: 'storage', unit: 'blocks', default: 1024, devDefault: 10_000, min: 1, help: 'Number of blocks below the head whose states pruning keeps.' },
  'pruning-block-confirmations': { type: 'integer', group: 'storage', unit: 'blocks', default: 10, min: 0, help: 'Number of confirmations before a state may be pruned; less than --pruning-blocks-retained.' },
  'state-preimages': { type: 'boolean', group: 'storage', help: 'Store the address or slot of each hash in the state, which debug_accountRange, debug_storageRangeAt and dumps show (default: in a new database; an existing one goes on as it is).' },
  'bonsai-historical-block-limit': { type: 'integer', group: 'storage', unit: 'blocks', default: 512, min: 0, help: 'Number of historical states available with BONSAI.', aliases: ['bonsai-maximum-back-layers-to-load'], later: 'refused' },

  'evm': { type: 'choice', group: 'execution', default: 'native', choices: ['native', 'reference'], help: 'EVM implementation: the built-in WebAssembly interpreter, or @ethereumjs/evm.' },
  'evm-cross-check': { type: 'boolean', group: 'execution', default: false, help: 'Execute every imported block a second time with @ethereumjs/vm and compare the results.' },
  'memory-target': { type: 'integer', group: 'execution', unit: 'bytes', min: MIN_MEMORY_BYTES as number, help: 'Memory that caches, pools and executions may use together (default: a quarter of the memory of the machine, at most 4 GiB).' },
  'kzg-trusted-setup': { type: 'text', group: 'execution', form: 'file', help: 'File with the trusted setup of the KZG ceremony: the node checks that it equals the built-in one.' },

  'metrics-enabled': { type: 'boolean', group: 'metrics', default: false, help: 'Serve metrics for Prometheus at /metrics.' },
  'metrics-protocol': { type: 'choice', group: 'metrics', default: 'PROMETHEUS', choices: ['PROMETHEUS', 'OPENTELEMETRY', 'NONE'], help: 'Metrics protocol; OPENTELEMETRY is not supported, NONE switches metrics off.' },
  'metrics-host': { type: 'text', group: 'metrics', default: '127.0.0.1', help: 'Address to listen on.', needs: 'metrics-enabled' },
  'metrics-port': { type: 'integer', group: 'metrics', default: 9545, min: 0, max: 65535, help: 'Port.', needs: 'metrics-enabled' },
  'metrics-category': { type: 'list', group: 'metrics', default: METRIC_CATEGORIES as readonly string[], help: 'Enabled metric categories.', aliases: ['metrics-categories'] },
  'metrics-push-enabled': { type: 'boolean', group: 'metrics', default: false, help: 'Push metrics to a gateway of Prometheus; cannot be combined with --metrics-enabled.' },
  'metrics-push-host': { type: 'text', group: 'metrics', default: '127.0.0.1', help: 'Host of the push gateway.', needs: 'metrics-push-enabled' },
  'metrics-push-port': { type: 'integer', group: 'metrics', default: 9001, min: 0, max: 65535, help: 'Port of the push gateway.', needs: 'metrics-push-enabled' },
  'metrics-push-interval': { type: 'integer', group: 'metrics', unit: 'seconds', default: 15, min: 1, help: 'Interval between pushes.', needs: 'metrics-push-enabled' },
  'metrics-push-prometheus-job': { type: 'text', group: 'metrics', default: 'besu-client', help: 'Job name of pushed metrics.', needs: 'metrics-push-enabled' },
} as const
