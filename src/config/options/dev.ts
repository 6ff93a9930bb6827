/**
 * Options of the dev chain and of block production.
 * @module
 */

// biome-ignore format: one option per line reads as a table
export const DEV_OPTIONS = {
  'dev': { type: 'boolean', group: 'dev', default: false, help: 'Run the dev chain; the default without --network and --genesis-file.' },
  'dev-fork': { type: 'choice', group: 'dev', availability: 'dev', choices: ['PARIS', 'SHANGHAI', 'CANCUN', 'PRAGUE', 'OSAKA'], help: 'Fork of a new dev chain (default: the latest).', aliases: ['hardfork'] },

  'dev-block-time': { type: 'number', group: 'mining', availability: 'dev', unit: 'seconds', default: 0, min: 0, help: 'Time between blocks of the dev chain; 0: each transaction is mined immediately in its own block.', aliases: ['block-time', 'b'] },
  'miner-enabled': { type: 'boolean', group: 'mining', default: false, help: 'Mine blocks.', later: 'ignored' },
  'miner-coinbase': { type: 'text', group: 'mining', form: 'address', help: 'Beneficiary of block rewards and fees (dev chain: the zero address unless set).' },
  'miner-extra-data': { type: 'text', group: 'mining', form: 'hex', default: '0x', help: 'Extra data of mined blocks.' },
  'miner-stratum-enabled': { type: 'boolean', group: 'mining', default: false, help: 'Serve Stratum.', later: 'ignored' },
  'miner-stratum-host': { type: 'text', group: 'mining', default: '0.0.0.0', help: 'Address to listen on.', later: 'ignored' },
  'miner-stratum-port': { type: 'integer', group: 'mining', default: 8008, min: 0, max: 65535, help: 'Port.', later: 'ignored' },
  'min-gas-price': { type: 'quantity', group: 'mining', unit: 'wei', default: 1000n, devDefault: 0n, help: 'Minimum price of a transaction; also the minimum result of eth_gasPrice.' },
  'min-block-occupancy-ratio': { type: 'number', group: 'mining', default: 0.8, min: 0, max: 1, help: 'Gas usage at which a block is complete, as a fraction of its limit.', later: 'ignored' },
  'target-gas-limit': { type: 'quantity', group: 'mining', unit: 'gas', help: 'Gas limit that mined blocks approach.' },
  'Xminer-remote-sealers-limit': { type: 'integer', group: 'mining', default: 1000, min: 0, help: 'Maximum number of remote sealers.', later: 'ignored', hidden: true },
  'Xminer-remote-sealers-hashrate-ttl': { type: 'integer', group: 'mining', unit: 'minutes', default: 10, min: 0, help: 'Lifetime of a reported hash rate.', later: 'ignored', hidden: true },
  'Xminer-stratum-extranonce': { type: 'text', group: 'mining', default: '080c', help: 'Extra nonce of Stratum sessions.', later: 'ignored', hidden: true },
  'Xminer-pow-job-ttl': { type: 'integer', group: 'mining', unit: 'milliseconds', default: 300000, min: 0, help: 'Lifetime of mining work.', later: 'ignored', hidden: true },
  'Xmax-ommers-depth': { type: 'integer', group: 'mining', unit: 'blocks', default: 8, min: 0, help: 'Depth of accepted work.', later: 'ignored', hidden: true },
} as const
