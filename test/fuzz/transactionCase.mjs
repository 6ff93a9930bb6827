/**
 * Converts cases to transactions on a dev chain. Features that a chain cannot have, or a client cannot set, are
 * replaced:
 *
 * - There are no empty accounts, and no storage without a contract (EIP-161).
 * - BLOCKHASH becomes ISZERO, because the chains have different blocks.
 * - A creation has init code, since both geth and this node reject one without as a mistake.
 * - The sender can pay for the transaction, which has intrinsic gas in addition to the gas of the message.
 * - No blobs, no moved precompiles, one code size limit, one chain id. Addresses warmed by an authorization are in the
 *   access list.
 * @module
 */
import { Buffer } from 'node:buffer'
import { assemble } from './assembler.mjs'
import { withAuthorizations } from './authorizations.mjs'

/** EIP-7825 */
const MAX_TRANSACTION_GAS = 2n ** 24n
const HIGHEST_BALANCE = 2n ** 128n
const STOP = '0x00'
export const BLOCK_GAS_LIMIT = 30_000_000n

const quantity = (number) => `0x${BigInt(number).toString(16)}`
const word = (number) => `0x${BigInt(number).toString(16).padStart(64, '0')}`
const hexOf = (bytes) => `0x${Buffer.from(bytes).toString('hex')}`
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
const atMost = (number, bound) => (number < bound ? number : bound)
const atLeast = (number, bound) => (number > bound ? number : bound)

/**
 * @typedef {object} TransactionCase
 * @property {[method: string, params: unknown[]][]} state calls that put the accounts in place, in any order
 * @property {{ coinbase: string, baseFee: string }} block
 * @property {Record<string, unknown>} transaction
 */

/**
 * @param {import('./authorizations.mjs').Signing & { intrinsicGas: typeof import('../../src/types/intrinsicGas.ts').intrinsicGas }} kit
 * @param {import('../../src/config/forks.ts').ForkRules} rules
 * @param {import('./generator.mjs').FuzzCase} given
 * @returns {TransactionCase}
 */
export function transactionCase(kit, rules, given) {
  const { fuzzCase, authorizationList } = withAuthorizations(kit, given)
  const programs = {}
  for (const [name, tokens] of Object.entries(fuzzCase.programs)) {
    programs[name] = tokens.map((token) => (token === 'BLOCKHASH' ? 'ISZERO' : token))
  }
  const assembled = new Map()
  const codeOf = (code) => (code.startsWith('0x') ? code : hexOf(assemble(code, programs, assembled)))
  const { message, block } = fuzzCase
  const data = codeOf(message.data)
  const hasNoInitCode = message.to === null && data === '0x'
  const transaction = transactionOf(kit, rules, fuzzCase, hasNoInitCode ? STOP : data, authorizationList)
  const state = Object.entries(fuzzCase.accounts).flatMap(([address, account]) =>
    stateCalls(`0x${address}`, address === message.caller ? senderOf(account, transaction) : account, codeOf),
  )
  const baseFee = atMost(BigInt(block.baseFeePerGas), BigInt(transaction.maxFeePerGas))
  return {
    state,
    block: { coinbase: `0x${block.beneficiary}`, baseFee: quantity(baseFee) },
    transaction: {
      ...transaction,
      maxPriorityFeePerGas: quantity(BigInt(transaction.maxFeePerGas) - baseFee),
    },
  }
}

function transactionOf({ intrinsicGas }, rules, { message, transaction, accounts }, data, authorizationList) {
  const accessList = transaction.accessList.map(({ address, storageKeys }) => ({
    address: `0x${address}`,
    storageKeys: storageKeys.map(word),
  }))
  const to = message.to === null ? undefined : `0x${message.to}`
  const { intrinsic, floor } = intrinsicGas(
    { to: to && bytesOf(to), data: bytesOf(data), accessList, authorizationList },
    rules,
  )
  const gas = atMost(intrinsic + BigInt(message.gas), MAX_TRANSACTION_GAS)
  const value = BigInt(message.value)
  const own = balanceOf(accounts[message.caller] ?? {})
  return {
    from: `0x${message.caller}`,
    ...(to === undefined ? {} : { to }),
    data,
    value: quantity(value <= own ? value : 1n),
    gas: quantity(atLeast(gas, floor)),
    maxFeePerGas: quantity(transaction.gasPrice),
    accessList,
    ...(authorizationList.length === 0 ? {} : { authorizationList }),
  }
}

/** The sender before its transaction: includes its cost, and has the preceding nonce. */
function senderOf(account, { gas, maxFeePerGas, value }) {
  const cost = BigInt(gas) * BigInt(maxFeePerGas) + BigInt(value)
  return { nonce: String(BigInt(account.nonce) - 1n), balance: String(atLeast(balanceOf(account), cost)) }
}

function balanceOf({ balance = '0' }) {
  return atMost(BigInt(balance), HIGHEST_BALANCE)
}

function stateCalls(address, account, codeOf) {
  const { nonce = '0', code, storage = {} } = account
  const balance = balanceOf(account)
  const calls = []
  if (code !== undefined) calls.push(['anvil_setCode', [address, codeOf(code)]])
  if (nonce !== '0') calls.push(['anvil_setNonce', [address, quantity(nonce)]])
  if (balance > 0n) calls.push(['anvil_setBalance', [address, quantity(balance)]])
  if (code === undefined) return calls
  const slots = Object.entries(storage).map(([slot, value]) => [
    'anvil_setStorageAt',
    [address, word(slot), word(value)],
  ])
  return [...calls, ...slots]
}
