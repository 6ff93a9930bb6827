/** The requests that Otterscan sends for its pages, with the API groups that its guide names. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { replyText } from '../../../support/rpc/replyText.ts'
import { at, callTo, code, revertWith } from '../../tracing/geth/programs.ts'

type Request = readonly [method: string, ...params: unknown[]]

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: object
}

let node: OpenedNode
let contract: string
let hash: string
let failed: string
let block: { readonly number: string; readonly hash: string }

/** Otterscan batches what a page asks at once. @returns the results in order */
async function page(...requests: readonly Request[]): Promise<unknown[]> {
  const batch = requests.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const reply = await node.node.endpoints.get('http').exchange.handle({ body: JSON.stringify(batch) })
  const replies = JSON.parse(await replyText(reply)) as Reply[]
  return requests.map(([method], id) => {
    const { result, error } = replies.find((one) => one.id === id) as Reply
    expect(error, method).toBeUndefined()
    return result
  })
}

beforeAll(async () => {
  node = await openDevNode({ 'rpc-http-api': ['ETH', 'OTS', 'TRACE'] } as never)
  contract = await deploy(node, code(callTo(at(0x3000), { value: 1n })).code)
  const failing = await deploy(node, code(revertWith('0x08c379a0')).code)
  failed = await send(node, { to: failing })
  hash = await send(node, { to: contract, value: '0x9', data: '0xa9059cbb01' })
  block = await node.rpc('eth_getBlockByNumber', 'latest', false)
})

afterAll(() => node.node.close())

it('connects', async () => {
  const [number] = await page(['eth_blockNumber'], ['eth_chainId'])
  const [header] = await page(['erigon_getHeaderByNumber', Number(number)])
  expect(header).toMatchObject({ hash: block.hash })
  expect(await page(['ots_getApiLevel'])).toEqual([8])
})

it('shows a block', async () => {
  const number = Number(block.number)
  const [details, byHash] = await page(['ots_getBlockDetails', number], ['ots_getBlockDetailsByHash', block.hash])
  expect(details).toEqual(byHash)
  const [transactions] = await page(['ots_getBlockTransactions', number, 0, 25])
  expect(transactions).toMatchObject({
    fullblock: { transactionCount: 1, transactions: [{ hash, input: '0xa9059cbb' }] },
    receipts: [{ transactionHash: hash, logs: null }],
  })
  expect(await page(['ots_hasCode', contract, 'latest'], ['ots_hasCode', ALICE.address, number])).toEqual([true, false])
})

it('shows a transaction', async () => {
  const [transaction, receipt, ...rest] = await page(
    ['eth_getTransactionByHash', hash],
    ['eth_getTransactionReceipt', hash],
    ['eth_getTransactionCount', ALICE.address, 'latest'],
    ['ots_getTransactionBySenderAndNonce', ALICE.address, 2],
    ['ots_getTransactionBySenderAndNonce', ALICE.address, 4],
    ['ots_getInternalOperations', hash],
    ['ots_traceTransaction', hash],
    ['trace_replayTransaction', hash, ['stateDiff']],
  )
  expect(transaction).toMatchObject({ nonce: '0x3' })
  expect(receipt).toMatchObject({ status: '0x1' })
  expect(rest.slice(0, 3)).toEqual(['0x4', failed, null])
  expect(rest[3]).toHaveLength(1)
  expect(rest[4]).toHaveLength(2)
  expect(await page(['ots_getTransactionError', failed])).toEqual(['0x08c379a0'])
})

it('shows an account, and the pages of its transactions', async () => {
  const answers = await page(
    ['eth_getBalance', contract, 'latest'],
    ['eth_getTransactionCount', contract, 'latest'],
    ['ots_hasCode', contract, 'latest'],
    ['eth_getCode', contract, 'latest'],
    ['ots_getContractCreator', contract],
    ['ots_searchTransactionsBefore', contract, 0, 25],
  )
  expect(answers.slice(4)).toMatchObject([
    { creator: ALICE.address.toLowerCase() },
    { txs: [{ hash }, { to: null }], firstPage: true, lastPage: true },
  ])
  // The page of one transaction begins with the block that holds it.
  const [older] = await page(['ots_searchTransactionsBefore', contract, Number(block.number) + 1, 25])
  const [newer] = await page(['ots_searchTransactionsAfter', contract, Number(block.number) - 1, 25])
  expect([older, newer]).toMatchObject([{ txs: [{ hash }, {}] }, { txs: [{ hash }] }])
  expect(await page(['ots_searchTransactionsAfter', BOB.address, 0, 25])).toMatchObject([{ txs: [] }])
})

it('needs the group OTS', async () => {
  const closed = await openDevNode({ 'rpc-http-api': ['ETH', 'TRACE'] } as never)
  for (const method of ['ots_getApiLevel', 'erigon_getHeaderByNumber']) {
    await expect(closed.rpc(method)).rejects.toThrow('does not exist/is not available')
  }
  await closed.node.close()
})
