/** The same chain on two nodes: ours and anvil. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DEV_CHAIN_ID, devGenesis } from '../../../src/config/devGenesis.ts'
import { Random } from '../../support/host/random.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { temporaryDirectory } from '../../support/nodes/program.ts'
import { atEndOfFile } from '../../support/rpc/endOfFile.ts'
import { contracts } from './contracts.ts'
import { fundedAccounts, type SignedTransaction, transactions } from './transactions.ts'

/** Timestamp of the block after genesis, on both nodes. */
const FIRST_TIMESTAMP = 4_000_000_000
const FIRST_BASE_FEE = '0x3b9aca00'
const START_TIMEOUT_MS = 60_000
const BATCH = 20
const COINBASE = '0x00000000000000000000000000000000c01bba5e'

export type Call = readonly [method: string, params: readonly unknown[]]

export interface TracedChain {
  /** @throws {Error} with the JSON-RPC error */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Sends calls whose order is irrelevant. */
  all<T = unknown>(calls: readonly Call[]): Promise<T[]>
}

export interface ChainPair {
  readonly anvil: TracedChain
  readonly ours: TracedChain
  readonly transactions: readonly (SignedTransaction & { readonly hash: string })[]
}

/** Creates the chain of a seed on both nodes. */
export async function openChainPair(anvilProgram: string, seed: number): Promise<ChainPair> {
  const random = new Random(seed)
  const genesis = devGenesis()
  genesis['alloc'] = { ...(genesis['alloc'] as object), ...contracts(random), ...fundedAccounts() }
  const signed = await transactions(random)
  const [anvil, { rpc }] = await Promise.all([
    startAnvil(anvilProgram, genesis),
    openDevNode({}, undefined, {}, genesis),
  ])
  const ours: TracedChain = {
    call: (method, ...params) => rpc(method, ...params),
    all: async <T>(calls: readonly Call[]) => {
      const results: T[] = []
      for (const [method, params] of calls) results.push(await rpc<T>(method, ...params))
      return results
    },
  }
  for (const chain of [anvil, ours]) {
    await chain.call('anvil_setCoinbase', COINBASE)
    // anvil's first block has the base fee of the genesis block; all others derive theirs from it.
    await chain.call('anvil_setNextBlockBaseFeePerGas', FIRST_BASE_FEE)
  }
  const included: (SignedTransaction & { hash: string })[] = []
  for (const transaction of signed) {
    const hash = await include(anvil, ours, transaction, FIRST_TIMESTAMP + included.length)
    included.push({ ...transaction, hash })
  }
  return { anvil, ours, transactions: included }
}

/** Produces the same block on both nodes. @returns the hash of the transaction */
async function include(
  anvil: TracedChain,
  ours: TracedChain,
  { name, raw }: SignedTransaction,
  timestamp: number,
): Promise<string> {
  const send = async (chain: TracedChain): Promise<{ transactionHash: string; blockNumber: string }> => {
    await chain.call('evm_setNextBlockTimestamp', timestamp)
    try {
      return await chain.call('eth_sendRawTransactionSync', raw)
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message} (${chain === anvil ? 'anvil' : 'ours'})`)
    }
  }
  const { transactionHash, blockNumber } = await send(anvil)
  // anvil chooses a random prevRandao for each block.
  const { mixHash } = await anvil.call<{ mixHash: string }>('eth_getBlockByNumber', blockNumber, false)
  await ours.call('anvil_setPrevRandao', mixHash)
  await send(ours)
  return transactionHash
}

const children = new Set<ChildProcess>()
atEndOfFile(() => {
  for (const child of children) child.kill('SIGKILL')
})

async function startAnvil(program: string, genesis: object): Promise<TracedChain> {
  const file = path.join(temporaryDirectory(), 'genesis.json')
  writeFileSync(file, JSON.stringify(genesis))
  const options = ['--port=0', `--chain-id=${DEV_CHAIN_ID}`, '--hardfork=osaka', `--init=${file}`, '--steps-tracing']
  const child = spawn(program, [...options, '--disable-default-create2-deployer', '--disable-min-priority-fee'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const timer = setTimeout(() => reject(new Error(`anvil does not start: ${printed}`)), START_TIMEOUT_MS)
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`anvil ended with ${code}: ${printed}`)))
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed = (printed + chunk).slice(-20_000)
      const address = /Listening on (\S+)/.exec(printed)?.[1]
      if (address === undefined) return
      clearTimeout(timer)
      resolve(`http://${address}`)
    })
  })
  const all = async <T>(calls: readonly Call[]): Promise<T[]> => {
    const results: T[] = []
    for (let at = 0; at < calls.length; at += BATCH) {
      for (const result of await batch<T>(url, calls.slice(at, at + BATCH))) results.push(result)
    }
    return results
  }
  return {
    all,
    call: async <T>(method: string, ...params: readonly unknown[]) => (await all<T>([[method, params]]))[0] as T,
  }
}

/** The refund counter of a frame that has lost refunds is negative; JSON.parse would round it. */
const UNSIGNED_LOSS = /"refund":(\d{19,})/g

async function batch<T>(url: string, calls: readonly Call[]): Promise<readonly T[]> {
  const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const results: T[] = []
  const text = (await response.text()).replace(
    UNSIGNED_LOSS,
    (_, digits) => `"refund":${BigInt.asIntN(64, BigInt(digits))}`,
  )
  for (const { id, result, error } of JSON.parse(text) as { id: number; result: T; error?: Error }[]) {
    if (error !== undefined) throw new Error(`${calls[id]?.[0]} ${JSON.stringify(calls[id]?.[1])}: ${error.message}`)
    results[id] = result
  }
  return results
}
