/** The chain on which the requests of docs/methods are executed: the same blocks and hashes in every run. */
import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import type { BloomFiles } from '../../../src/base/ports/bloomFiles.ts'
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import type { TraceFiles } from '../../../src/base/ports/traceFiles.ts'
import { compileContract } from '../../support/evm/solidity.ts'
import { countingRandom } from '../../support/host/random.ts'
import { ALICE, BOB } from '../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

/** Another chain than the dev chain. */
export type ExampleKind = 'clique' | 'ibft' | 'qbft' | 'permissioned' | 'privacy' | 'flexible'

export type Profile = 'besu' | 'geth'

export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

/** Calls a method. @returns the whole answer without `jsonrpc` and `id` */
export type Call = (method: string, ...params: readonly unknown[]) => Promise<Answer>

/** The chain that the requests refer to. Block 1 creates the token, 2 transfers ether, 3 a token; the transaction of 4 fails. */
export interface ExampleChain {
  readonly alice: Hex
  readonly bob: Hex
  readonly token: Hex
  /** Hashes of the transactions of blocks 1 to 4. */
  readonly transactions: readonly [create: Hex, transfer: Hex, tokenTransfer: Hex, failed: Hex]
  /** Hash of block 3. */
  readonly blockHash: Hex
  readonly genesisHash: Hex
  /** Call data of `transfer(bob, 25)` and of `balanceOf(bob)`. */
  readonly transferData: Hex
  readonly balanceData: Hex
  /** A signed transfer with Alice's next nonce. */
  readonly rawTransaction: Hex
  readonly transferTopic: Hex
}

export interface ExampleNode {
  readonly chain: ExampleChain
  readonly call: Call
  readonly close: () => Promise<void>
}

export const ZERO_WORD: Hex = `0x${'0'.repeat(64)}`
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const GAS_LIMIT = '0x186a0'

/** Opens a new node with the example blocks. */
export async function openExampleNode(profile: Profile): Promise<ExampleNode> {
  const opened = await openDevNode({ 'rpc-profile': profile }, undefined, {
    random: countingRandom(),
    platform: 'linux-x64/node',
    traceFiles: discardingTraceFiles,
    bloomFiles: noBloomFiles,
    logLevels: { set: () => {} },
    signer: new KeySigner(new Uint8Array(32).fill(1)),
  })
  const call = webSocketCall(opened)
  return { chain: await makeBlocks(call), call, close: () => opened.node.close() }
}

const discardingTraceFiles: TraceFiles = {
  create: async (name: string) => ({
    path: `/data/traces/${name}`,
    sink: { isFull: false, write: () => {}, drained: async () => {} },
    close: async () => {},
    publish: async () => {},
    discard: async () => {},
  }),
}

const noBloomFiles: BloomFiles = {
  segments: async () => [],
  length: async () => 0,
  write: async () => {},
  truncate: async () => {},
  remove: async () => {},
}

/** Requests over the WebSocket endpoint, which serves every method; notifications are ignored. */
export function webSocketCall({ node }: Pick<OpenedNode, 'node'>): Call {
  const waiting = new Map<number, (answer: Answer) => void>()
  let message = ''
  const settle = (text: string): void => {
    const { id, jsonrpc: _, ...answer } = JSON.parse(text) as Answer & { id?: number; jsonrpc: string }
    if (id !== undefined) waiting.get(id)?.(answer)
  }
  const decoder = new TextDecoder()
  const session = node.endpoints.get('webSocket').open(
    {
      send: settle,
      sendFragment: (bytes, isLast, sent) => {
        message += decoder.decode(bytes, { stream: !isLast })
        if (isLast) {
          settle(message)
          message = ''
        }
        sent()
      },
      bufferedAmount: () => 0,
      pause: () => {},
      resume: () => {},
      close: () => {},
      terminate: () => {},
    },
    undefined,
  )
  let lastId = 0
  return (method, ...params) =>
    new Promise((resolve) => {
      const id = ++lastId
      waiting.set(id, resolve)
      session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
}

async function makeBlocks(call: Call): Promise<ExampleChain> {
  const value = async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const { result, error } = await call(method, ...params)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result as T
  }
  const { abi, bytecode } = compileContract('Token')
  const [alice, bob] = [ALICE.address, BOB.address]
  const send = (fields: object): Promise<Hex> =>
    value('eth_sendTransaction', { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00', ...fields })
  const transferData = encodeFunctionData({ abi, functionName: 'transfer', args: [bob, 25n] })
  const balanceData = encodeFunctionData({ abi, functionName: 'balanceOf', args: [bob] })

  const create = await send({ from: alice, gas: '0x1e8480', data: encodeDeployData({ abi, bytecode, args: [1000n] }) })
  const { contractAddress: token } = await value<{ contractAddress: Hex }>('eth_getTransactionReceipt', create)
  const transfer = await send({ from: alice, to: bob, gas: '0x5208', value: '0xde0b6b3a7640000' })
  const tokenTransfer = await send({ from: alice, to: token, gas: GAS_LIMIT, data: transferData })
  const tooMuch = encodeFunctionData({ abi, functionName: 'transfer', args: [alice, 26n] })
  const failed = await send({ from: bob, to: token, gas: GAS_LIMIT, data: tooMuch })
  const blockOf = async (number: string): Promise<Hex> =>
    (await value<{ hash: Hex }>('eth_getBlockByNumber', number, false)).hash
  const rawTransaction = await ALICE.signTransaction({
    chainId: Number(await value<Hex>('eth_chainId')),
    nonce: 3,
    to: bob,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  return {
    alice,
    bob,
    token,
    transactions: [create, transfer, tokenTransfer, failed],
    blockHash: await blockOf('0x3'),
    genesisHash: await blockOf('0x0'),
    transferData,
    balanceData,
    rawTransaction,
    transferTopic: TRANSFER_TOPIC,
  }
}
