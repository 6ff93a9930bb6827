/**
 * Accounts that are derived from a mnemonic. The libraries are loaded only if the known accounts do not suffice.
 * @see BIP-32, BIP-39, BIP-44
 * @module
 */

import type { Random } from '../base/ports/random.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { publicKeyOf, publicKeyToAddress } from '../base/primitives/secp256k1.ts'
import { loadSigningCurve } from '../base/primitives/signingCurve.ts'
import { DEV_ACCOUNTS, DEV_DERIVATION_PATH, DEV_MNEMONIC, type DevAccount } from '../config/devAccounts.ts'
import type { DevWallet } from '../config/devGenesis.ts'

export type DevKey = Pick<DevAccount, 'address' | 'privateKey'>

const ENTROPY_BYTES_PER_3_WORDS = 4
const WORD_COUNTS: readonly number[] = [12, 15, 18, 21, 24]
const PATH = /^m(?:\/\d+'?)*$/
/** First hardened index; these are written with an apostrophe. */
const HARDENED = 2 ** 31

/**
 * @param wallet with a normalized mnemonic and a checked path
 * @throws {NodeError} INVALID_WALLET when the mnemonic is invalid
 */
export async function walletKeys(wallet: DevWallet): Promise<readonly DevKey[]> {
  const { mnemonic, derivationPath: path } = wallet
  const isKnown = mnemonic === DEV_MNEMONIC && path === DEV_DERIVATION_PATH
  if (isKnown && wallet.accounts <= DEV_ACCOUNTS.length) return DEV_ACCOUNTS.slice(0, wallet.accounts)
  const [{ mnemonicToSeedWebcrypto, validateMnemonic }, { wordlist }, { HDKey }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
    import('@scure/bip32'),
    loadSigningCurve(),
  ])
  checkWords(mnemonic.split(' '), wordlist)
  if (!validateMnemonic(mnemonic, wordlist)) {
    throw invalidWallet('the mnemonic has a wrong checksum: a word is wrong, or the words are in another order')
  }
  const parent = HDKey.fromMasterSeed(await mnemonicToSeedWebcrypto(mnemonic)).derive(path)
  return Array.from({ length: wallet.accounts }, (_, index) => {
    const privateKey = parent.deriveChild(index).privateKey as Uint8Array
    return {
      address: bytesToHex(publicKeyToAddress(publicKeyOf(privateKey))),
      privateKey: bytesToHex(privateKey),
    }
  })
}

/**
 * @param words 12, 15, 18, 21 or 24
 * @throws {NodeError} INVALID_WALLET for another number
 */
export async function randomMnemonic(words: number, random: Random): Promise<string> {
  if (!WORD_COUNTS.includes(words)) throw invalidCount(words)
  const [{ entropyToMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  return entropyToMnemonic(random.bytes((words / 3) * ENTROPY_BYTES_PER_3_WORDS), wordlist)
}

/** Returns the words in lower case, separated by one space. */
export function normalizedMnemonic(mnemonic: string): string {
  return mnemonic.trim().toLowerCase().split(/\s+/).join(' ')
}

function invalidCount(words: number): NodeError {
  return invalidWallet(`the mnemonic: expected 12, 15, 18, 21 or 24 words, got ${words}`)
}

function checkWords(words: readonly string[], wordlist: readonly string[]): void {
  if (!WORD_COUNTS.includes(words.length)) throw invalidCount(words.length)
  const wordSet = new Set(wordlist)
  const at = words.findIndex((word) => !wordSet.has(word))
  if (at < 0) return
  throw invalidWallet(`word ${at + 1} of the mnemonic, '${words[at]}', is not in the English word list of BIP-39`)
}

/**
 * @returns the path without a slash at its end
 * @throws {NodeError} INVALID_WALLET
 */
export function checkedPath(text: string): string {
  const path = text.trim().replace(/\/$/, '')
  if (!PATH.test(path)) {
    throw invalidWallet(`'${text}' is not a derivation path such as ${DEV_DERIVATION_PATH}`)
  }
  const large = path.split('/').find((part) => Number.parseInt(part, 10) >= HARDENED)
  if (large !== undefined) throw invalidWallet(`index ${large} of the derivation path is not below 2^31`)
  return path
}

function invalidWallet(message: string): NodeError<{ code: 'INVALID_WALLET' }> {
  return new NodeError({ code: 'INVALID_WALLET' }, message)
}
