/**
 * Options of a dev chain that continues another chain.
 * @module
 */

// biome-ignore format: one option per line reads as a table
export const FORK_OPTIONS = {
  'fork-url': { type: 'list', group: 'fork', availability: 'dev', form: 'url', isWhole: true, default: [], help: 'Continue the chain that this JSON-RPC address serves (http, https, ws or wss), from its newest block or from the one after @. May be repeated: further addresses are second choices.', aliases: ['f', 'rpc-url'] },
  'fork-block-number': { type: 'text', group: 'fork', availability: 'dev', help: 'Block to continue: a number, a negative number counted from the head, a hash, latest, safe or finalized (default: latest).' },
  'fork-transaction-hash': { type: 'text', group: 'fork', availability: 'dev', form: 'hex', help: 'Continue the chain right after this transaction.' },
  'fork-chain-id': { type: 'integer', group: 'fork', availability: 'dev', min: 1, help: 'Chain id of the remote, which is then not asked for it.' },
  'fork-header': { type: 'list', group: 'fork', availability: 'dev', isWhole: true, default: [], help: 'HTTP header of the requests to the remote, as "Name: value". May be repeated.', aliases: ['fork-headers'] },
  'fork-timeout': { type: 'integer', group: 'fork', availability: 'dev', unit: 'milliseconds', default: 45000, min: 1, max: 3600000, help: 'Longest time for one answer of the remote.', aliases: ['timeout'] },
  'fork-retries': { type: 'integer', group: 'fork', availability: 'dev', unit: 'requests', default: 5, min: 0, max: 1000, help: 'Further tries of a request that failed.', aliases: ['retries'] },
  'fork-retry-backoff': { type: 'integer', group: 'fork', availability: 'dev', unit: 'milliseconds', default: 1000, min: 0, max: 3600000, help: 'Wait before the first further try; it doubles with each.' },
  'fork-requests-per-second': { type: 'integer', group: 'fork', availability: 'dev', unit: 'requests', default: 0, min: 0, max: 1000000, help: 'Highest rate of requests; 0: as many as the remote accepts.', aliases: ['compute-units-per-second', 'cups'] },
  'no-rate-limit': { type: 'boolean', group: 'fork', availability: 'dev', help: 'The same as --fork-requests-per-second=0.', standsFor: [['fork-requests-per-second', '0']], aliases: ['no-rpc-rate-limit'] },
  'fork-verify': { type: 'choice', group: 'fork', availability: 'dev', default: 'auto', choices: ['auto', 'proofs', 'quorum', 'none'], help: 'How state of the remote is checked. auto: by proofs where the remote has them; proofs: only proven state is used; quorum: two addresses must agree; none: the remote is believed.' },
  'fork-cache': { type: 'text', group: 'fork', availability: 'dev', form: 'directory', help: 'Directory of what was fetched, shared by all forks and processes; none: nothing is kept (default: isonode/fork in the cache directory of the user).' },
  'no-storage-caching': { type: 'boolean', group: 'fork', availability: 'dev', help: 'The same as --fork-cache=none.', standsFor: [['fork-cache', 'none']] },
  'fork-cache-size': { type: 'integer', group: 'fork', availability: 'dev', unit: 'bytes', default: 2147483648, min: 1048576, help: 'Size of the cache; what was not used for longest goes first.' },
  'fork-offline': { type: 'boolean', group: 'fork', availability: 'dev', default: false, help: 'Never ask the remote: what neither the pack nor the cache has is an error.' },
  'fork-pack': { type: 'text', group: 'fork', availability: 'dev', form: 'file', help: 'File with everything that runs have read: asked before the cache and the remote, and extended at the end of the run, unless --fork-offline.' },
} as const
