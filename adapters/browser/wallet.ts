/**
 * A wallet for tests of pages: `isonode/wallet`. It signs with the accounts of a node, and a program plays its user.
 * @module
 */
export { announce } from './wallet/announce.ts'
export type {
  Wallet,
  WalletCall,
  WalletEvents,
  WalletInfo,
  WalletNode,
  WalletOptions,
  WalletProvider,
  WalletRequest,
} from './wallet/contract.ts'
export { WalletError } from './wallet/walletError.ts'
