/**
 * Adds delegations to the transaction (EIP-7702), for the accounts that a case declares as warmed by an authorization.
 * Only accounts with a known key can sign, so other addresses replace them everywhere in the case.
 * @module
 */
import { Buffer } from 'node:buffer'

const DELEGATION = '0xef0100'
const OTHER_CHAIN = 1n
const OTHER_NONCE = 7n

/**
 * @typedef {object} Signing
 * @property {bigint} chainId
 * @property {typeof import('../../src/base/primitives/secp256k1.ts').publicKeyOf} publicKeyOf
 * @property {typeof import('../../src/base/primitives/secp256k1.ts').publicKeyToAddress} publicKeyToAddress
 * @property {typeof import('../../src/base/primitives/secp256k1.ts').signHash} signHash
 * @property {typeof import('../../src/types/authorization.ts').authorizationSigningHash} authorizationSigningHash
 */

/**
 * @param {Signing} kit
 * @param {import('./generator.mjs').FuzzCase} fuzzCase
 * @returns {{ fuzzCase: import('./generator.mjs').FuzzCase, authorizationList: Record<string, string>[] }} the case before
 *   its authorizations, and these
 */
export function withAuthorizations(kit, fuzzCase) {
  const { message, transaction, accounts } = fuzzCase
  const isDelegated = (address) => accounts[address]?.code?.startsWith(DELEGATION)
  // A creating transaction has none.
  const authorities = message.to === null ? [] : [...new Set(transaction.warmAddresses)].filter(isDelegated)
  let text = JSON.stringify(fuzzCase)
  for (const authority of authorities) text = text.replaceAll(authority, addressOf(kit, authority))
  const changed = JSON.parse(text)
  const authorizationList = authorities.map((authority) => {
    const account = changed.accounts[addressOf(kit, authority)]
    const delegate = account.code.slice(DELEGATION.length)
    const nonce = BigInt(account.nonce ?? 1) - 1n
    delete account.code
    account.nonce = String(nonce)
    return authorize(kit, authority, delegate, nonce, fuzzCase.block)
  })
  return { fuzzCase: changed, authorizationList }
}

/** Some are valid for any chain; some are invalid, for another chain or nonce. */
function authorize(kit, authority, delegate, nonce, { timestamp, difficulty, excessBlobGas }) {
  const chainId = timestamp === '1' ? 0n : kit.chainId
  const tuple = {
    chainId: difficulty === '131072' && excessBlobGas === '131072' ? OTHER_CHAIN : chainId,
    address: Uint8Array.from(Buffer.from(delegate, 'hex')),
    nonce: difficulty === '131072' && excessBlobGas === '0' ? OTHER_NONCE : nonce,
  }
  const { signature, yParity } = kit.signHash(kit.authorizationSigningHash(tuple), keyOf(authority))
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => Buffer.from(half).toString('hex'))
  return {
    chainId: quantity(tuple.chainId),
    address: `0x${delegate}`,
    nonce: quantity(tuple.nonce),
    yParity: quantity(yParity),
    r: quantity(`0x${r}`),
    s: quantity(`0x${s}`),
  }
}

/** One for each of the few addresses. */
function keyOf(address) {
  return new Uint8Array(32).fill(Number.parseInt(address.slice(0, 2), 16))
}

function addressOf({ publicKeyOf, publicKeyToAddress }, address) {
  return Buffer.from(publicKeyToAddress(publicKeyOf(keyOf(address)))).toString('hex')
}

function quantity(number) {
  return `0x${BigInt(number).toString(16)}`
}
