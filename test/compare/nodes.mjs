/** Nodes of the compared tools, and what the checks of the rows do with them. */
import { setTimeout as delay } from 'node:timers/promises'
import { callOverWebSocket, start } from './tools.mjs'

export const MNEMONIC = 'test test test test test test test test test test test junk'
export const OTHER_MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
export const CHECKSUMMED = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
export const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const ZERO_HASH = `0x${'0'.repeat(64)}`
export const ETHER = `0x${(10n ** 18n).toString(16)}`
export const GAS = '0x186a0'

/** 'yes' when nothing is missing. */
export function verdict(all, missing) {
  if (missing.length === 0) return 'yes'
  return missing.length === all.length ? 'no' : `part: no ${missing.join(', ')}`
}

/** One node per tool, with default options, for checks that do not disturb each other. */
const shared = new Map()

export async function withShared(tool, check) {
  if (!shared.has(tool)) shared.set(tool, start(tool))
  return check(await shared.get(tool))
}

export async function stopShared() {
  for (const node of await Promise.all(shared.values())) await node.stop()
}

export async function withNode(tool, options, check) {
  const node = await start(tool, options)
  if (node === undefined) return 'no'
  try {
    return await check(node)
  } finally {
    await node.stop()
  }
}

/** Sends a transaction and waits for its receipt; the answer of a refused one is the error. */
export async function send({ call }, fields) {
  const [from] = await call('eth_accounts')
  let hash
  try {
    hash = await call('eth_sendTransaction', { from, gas: GAS, ...fields })
  } catch (error) {
    // Hardhat 2 and ganache mine a failing transaction and answer with an error that holds its hash; Hardhat 3 without it.
    hash = error.data?.txHash ?? error.data?.hash ?? (error.code === 3 ? await newestTransaction(call) : undefined)
    if (hash === undefined) throw error
  }
  return receiptOf(call, hash)
}

async function newestTransaction(call) {
  const { transactions } = await call('eth_getBlockByNumber', 'latest', false)
  return transactions.at(-1)
}

export async function receiptOf(call, hash) {
  for (let i = 0; i < 100; i++) {
    const receipt = await call('eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
    await delay(50)
  }
  throw new Error(`${hash} was not mined`)
}

export const isUnknown = ({ code, message }) =>
  code === -32601 ||
  code === -32604 ||
  /not (found|supported|available|implemented)|unknown method|does not exist/i.test(message)

/** Whether the method exists: any answer but "unknown". Subscriptions are asked for over WebSocket. */
export async function has({ call, port }, method, ...params) {
  if (method.endsWith('_subscribe'))
    return callOverWebSocket(port, method, params).then(
      () => true,
      () => false,
    )
  try {
    await call(method, ...params)
    return true
  } catch (error) {
    if (error.name === 'TimeoutError') return false
    return !isUnknown(error)
  }
}

/** @param methods name → parameters */
export async function methods(node, table) {
  const missing = []
  for (const [method, params] of Object.entries(table)) if (!(await has(node, method, ...params))) missing.push(method)
  return verdict(Object.keys(table), missing)
}

/** Calls the first method that the tool has. */
export async function firstOf({ call }, methods) {
  for (const [method, ...params] of methods) {
    try {
      return await call(method, ...params)
    } catch (error) {
      if (!isUnknown(error)) throw error
    }
  }
  throw new Error('none of the methods exists')
}
