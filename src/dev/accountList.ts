/**
 * The accounts of the dev chain as the banner shows them.
 * @module
 */

import { hexToBytes } from '../base/primitives/bytes.ts'
import { formatEther } from '../base/primitives/ether.ts'
import type { DevAccount } from '../config/devAccounts.ts'
import type { DevWallet } from '../config/devGenesis.ts'
import { checksumAddress } from '../types/address.ts'

/** Further accounts are only counted. */
const MAX_LISTED = 100

/** Returns one line per account, with its initial balance, then the mnemonic and the path of the keys. */
export function accountList(accounts: readonly DevAccount[], wallet: DevWallet | undefined): string[] {
  if (accounts.length === 0) return ['No accounts: the dev chain has no keys.']
  const width = String(Math.min(accounts.length, MAX_LISTED)).length
  const lines = accounts.slice(0, MAX_LISTED).map(({ address, privateKey, balance }, index) => {
    return (
      `  (${index})`.padEnd(width + 5) +
      `${checksumAddress(hexToBytes(address))}  ${privateKey}  ${formatEther(BigInt(balance))} ETH`
    )
  })
  const more = accounts.length - MAX_LISTED
  return [
    'Accounts, private keys and initial balances (for development only: never send real funds to these accounts)',
    ...lines,
    ...(more > 0 ? [`  and ${more} more: see eth_accounts`] : []),
    ...(wallet === undefined ? [] : walletLines(wallet, accounts.length)),
  ]
}

function walletLines({ mnemonic, derivationPath, accounts }: DevWallet, count: number): string[] {
  const range = accounts === count ? '' : `  (accounts 0 to ${accounts - 1})`
  return ['', `  mnemonic  ${mnemonic}`, `  path      ${derivationPath}/<index>${range}`]
}
