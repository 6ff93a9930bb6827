/**
 * Options of the dev chain and of block production.
 * @module
 */

// biome-ignore format: one option per line reads as a table
export const DEV_OPTIONS = {
  'dev': { type: 'boolean', group: 'dev', default: false, help: 'Run the dev chain; the default without --network and --genesis-file. With --genesis-file, blocks are mined immediately on top of that genesis.' },
  'chain-id': { type: 'integer', group: 'dev', availability: 'dev', newChainDefault: 31337, min: 1, help: 'Chain id.' },
  'dev-fork': { type: 'choice', group: 'dev', availability: 'dev', newChainDefault: 'OSAKA', choices: ['FRONTIER', 'HOMESTEAD', 'TANGERINE_WHISTLE', 'SPURIOUS_DRAGON', 'BYZANTIUM', 'CONSTANTINOPLE', 'PETERSBURG', 'ISTANBUL', 'BERLIN', 'LONDON', 'PARIS', 'SHANGHAI', 'CANCUN', 'PRAGUE', 'OSAKA'], help: 'Hardfork active from block 0.', aliases: ['hardfork'] },
  'timestamp': { type: 'integer', group: 'dev', availability: 'dev', unit: 'seconds', min: 0, help: "Time of block 0, in seconds since 1970. The chain's clock then runs on from the newest block. Without it, a new chain begins at the host's time and follows the host's clock." },
  'code-size-limit': { type: 'integer', group: 'dev', availability: 'dev', unit: 'bytes', min: 1, max: 2147483647, help: "Maximum size of a contract's code, and half the maximum of its init code. Without it, the fork's limit applies (EIP-170: 24,576)." },
  'allow-unlimited-gas': { type: 'boolean', group: 'dev', availability: 'dev', newChainDefault: false, help: "Lift the gas cap on calls and the EIP-7825 cap on transactions; only --gas-limit remains." },
  'predeploys': { type: 'list', group: 'dev', availability: 'dev', newChainDefault: ['create2', 'multicall3'], choices: ['create2', 'multicall3', 'permit2', 'safe-singleton', 'weth', 'none'], help: 'Contracts in the genesis of a new dev chain, at their addresses on public networks. The CREATE2 deployer is always among them, except with none, which leaves the contracts of the protocol.' },
  'state': { type: 'text', group: 'dev', availability: 'dev', form: 'file', help: 'File of a state dump: loaded at the start if it exists, written on exit.' },
  'load-state': { type: 'text', group: 'dev', availability: 'dev', form: 'file', help: 'State dump of this node or of anvil that replaces the chain at the start.' },
  'dump-state': { type: 'text', group: 'dev', availability: 'dev', form: 'file', help: 'Dump the chain on exit to this file, or to state.json in this directory.' },
  'state-interval': { type: 'integer', group: 'dev', availability: 'dev', unit: 'seconds', min: 1, help: 'Interval of additional dumps to the file of --state or --dump-state.', aliases: ['s'] },

  'accounts': { type: 'integer', group: 'accounts', availability: 'dev', unit: 'accounts', newChainDefault: 10, min: 0, max: 1000, help: 'Number of funded accounts, derived from the mnemonic.', aliases: ['a'] },
  'balance': { type: 'ether', group: 'accounts', availability: 'dev', unit: 'ether', newChainDefault: 10000000000000000000000n, help: 'Initial balance of each account.' },
  'mnemonic': { type: 'text', group: 'accounts', availability: 'dev', form: 'words', newChainDefault: 'test test test test test test test test test test test junk', help: 'English BIP-39 mnemonic of the accounts. The data directory keeps it.', aliases: ['m'] },
  'mnemonic-random': { type: 'integer', group: 'accounts', availability: 'dev', unit: 'words', bareValue: '12', help: 'Derive the accounts from a random mnemonic of 12, 15, 18, 21 or 24 words. The data directory keeps it.' },
  'derivation-path': { type: 'text', group: 'accounts', availability: 'dev', newChainDefault: "m/44'/60'/0'/0", help: "Path of the accounts' keys; the index of the account is appended." },
  'auto-impersonate': { type: 'boolean', group: 'accounts', availability: 'dev', default: false, help: 'Accept unsigned transactions from every account.', aliases: ['auto-unlock'] },

  'dev-block-time': { type: 'number', group: 'mining', availability: 'dev', unit: 'seconds', default: 0, min: 0, help: 'Time between blocks of the dev chain; 0: every transaction is mined immediately, in its own block.', aliases: ['block-time', 'b'] },
  'no-mining': { type: 'boolean', group: 'mining', availability: 'dev', default: false, help: 'Mine only on request (evm_mine).', aliases: ['no-mine'] },
  'order': { type: 'choice', group: 'mining', availability: 'dev', default: 'FEES', choices: ['FEES', 'FIFO'], help: 'Order of transactions within a block: by fee, or by arrival.' },
  'gas-limit': { type: 'quantity', group: 'mining', availability: 'dev', unit: 'gas', newChainDefault: 30000000n, min: 5000n, max: 9223372036854775807n, help: 'Gas limit of the blocks of a new dev chain.' },
  'base-fee': { type: 'quantity', group: 'mining', availability: 'dev', unit: 'wei', newChainDefault: 1000000000n, max: 1000000000000000000n, help: 'Base fee per gas of the genesis block; later blocks adjust it (EIP-1559), and 0 remains 0.', aliases: ['block-base-fee-per-gas'] },
  'miner-enabled': { type: 'boolean', group: 'mining', default: false, help: 'Mine blocks (proof of work).' },
  'miner-coinbase': { type: 'text', group: 'mining', form: 'address', help: 'Beneficiary of block rewards and fees (dev chain: the zero address unless set).' },
  'miner-extra-data': { type: 'text', group: 'mining', form: 'hex', default: '0x', help: 'Extra data of mined blocks.' },
  'miner-dag': { type: 'choice', group: 'mining', default: 'light', choices: ['light', 'full'], help: "Ethash of the node's own threads: light computes items of the dataset on demand, full keeps the dataset (over 1 GiB) in memory and in a file." },
  'miner-stratum-enabled': { type: 'boolean', group: 'mining', default: false, help: "Serve work over Stratum; the node then does not mine itself." },
  'miner-stratum-host': { type: 'text', group: 'mining', default: '0.0.0.0', help: 'Address to listen on.', needs: 'miner-stratum-enabled' },
  'miner-stratum-port': { type: 'integer', group: 'mining', default: 8008, min: 0, max: 65535, help: 'Port; 0: any free one.', needs: 'miner-stratum-enabled' },
  'min-gas-price': { type: 'quantity', group: 'mining', unit: 'wei', default: 1000n, devDefault: 0n, help: 'Minimum price of a transaction; also the minimum result of eth_gasPrice.' },
  'min-block-occupancy-ratio': { type: 'number', group: 'mining', default: 0.8, min: 0, max: 1, help: 'Gas usage at which a block is complete, as a fraction of its limit.' },
  'target-gas-limit': { type: 'quantity', group: 'mining', unit: 'gas', help: 'Gas limit that mined blocks approach.' },
  'Xminer-remote-sealers-limit': { type: 'integer', group: 'mining', default: 1000, min: 0, help: 'Maximum number of remote sealers.', hidden: true },
  'Xminer-remote-sealers-hashrate-ttl': { type: 'integer', group: 'mining', unit: 'minutes', default: 10, min: 0, help: 'Lifetime of a reported hash rate.', hidden: true },
  'Xminer-stratum-extranonce': { type: 'text', group: 'mining', default: '080c', help: 'Extra nonce of Stratum sessions.', hidden: true },
  'Xminer-pow-job-ttl': { type: 'integer', group: 'mining', unit: 'milliseconds', default: 300000, min: 0, help: 'Lifetime of mining work.', hidden: true },
  'Xmax-ommers-depth': { type: 'integer', group: 'mining', unit: 'blocks', default: 8, min: 0, help: 'Depth of accepted work.', hidden: true },
  'ethash-test-mode': { type: 'boolean', group: 'mining', default: false, help: "Seal and verify blocks in ethash's test mode: a cache of 1 KB and a dataset of 32 KB in every epoch." },
} as const
