import type { OptionName } from '../config/options.ts'

/** Properties of a dev chain and its log, which nodes in pages have as well, and the rows that they set. */
export const PAGE_PROPERTIES: Readonly<Record<string, readonly OptionName[]>> = {
  dev: ['dev'],
  chainId: ['chain-id'],
  hardfork: ['dev-fork'],
  timestamp: ['timestamp'],
  gasLimit: ['gas-limit'],
  baseFee: ['base-fee'],
  accounts: ['accounts'],
  balance: ['balance'],
  mnemonic: ['mnemonic'],
  predeploys: ['predeploys'],
  failOnRevert: ['fail-on-revert'],
  autoImpersonate: ['auto-impersonate'],
  blockTime: ['dev-block-time'],
  mining: ['no-mining'],
  genesis: ['genesis-file'],
  logLevel: ['logging'],
  verbose: ['verbose'],
}
