import type { DevWallet } from '../config/devGenesis.ts'
import type { DevChainOptions } from './devChainGenesis.ts'

/** Options for another chain with the same wallet. */
export function withWallet<Options extends DevChainOptions>(options: Options, wallet: DevWallet): Options {
  const { mnemonic, accounts, derivationPath } = wallet
  return { ...options, mnemonic, accounts, 'derivation-path': derivationPath, 'mnemonic-random': undefined }
}
