/** Otterscan's methods on a chain that continues another one. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNode } from '../../../../mod.ts'

type Node = Awaited<ReturnType<typeof startNode>>

interface Page {
  readonly txs: readonly { readonly hash: string }[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

const TO = '0x1234567890123456789012345678901234567890'
/** A creation of the code 0x00. */
const CREATION = '0x60015ff3'

let remote: Node
let fork: Node
let sender: string
let old: { readonly transactionHash: string; readonly contractAddress: string }
let forkBlock: number
const sent: string[] = []

const ask = <T>(method: string, ...params: unknown[]): Promise<T> => fork.request(method, params) as Promise<T>

async function receiptOf(node: Node, transaction: object) {
  const hash = (await node.request('eth_sendTransaction', [{ from: sender, ...transaction }])) as string
  return (await node.request('eth_getTransactionReceipt', [hash])) as typeof old
}

beforeAll(async () => {
  remote = await startNode({ chainId: 4242 })
  sender = ((await remote.request('eth_accounts', [])) as string[])[0] as string
  await receiptOf(remote, { to: TO, value: '0x1' })
  old = await receiptOf(remote, { data: CREATION })
  for (let i = 0; i < 3; i++) await receiptOf(remote, { to: TO, value: '0x1' })
  forkBlock = 5
  fork = await startNode({ forkUrl: remote.url, flags: { forkCache: 'none' } } as never)
  for (let i = 0; i < 3; i++) sent.push((await receiptOf(fork, { to: TO, value: '0x1' })).transactionHash)
})

afterAll(async () => {
  await fork.close()
  await remote.close()
})

it('finds the transactions of the local blocks', async () => {
  const page = await ask<Page>('ots_searchTransactionsBefore', TO, 0, 25)
  expect(page.txs.map(({ hash }) => hash)).toEqual([...sent].reverse())
  expect([page.firstPage, page.lastPage]).toEqual([true, true])
  expect(await ask('ots_searchTransactionsAfter', TO, 0, 25)).toEqual(page)
  const later = await ask<Page>('ots_searchTransactionsAfter', TO, forkBlock + 1, 25)
  expect(later.txs).toEqual(page.txs.slice(0, 2))
})

it('refuses to search the blocks of the forked chain', async () => {
  const message = /blocks up to 5 belong to the forked chain/
  for (const block of [2, forkBlock, forkBlock + 1]) {
    await expect(ask('ots_searchTransactionsBefore', TO, block, 25)).rejects.toThrow(message)
  }
  for (const block of [1, forkBlock - 1]) {
    await expect(ask('ots_searchTransactionsAfter', TO, block, 25)).rejects.toThrow(message)
  }
})

it('shows blocks and traces of the forked chain, and creators from before the fork', async () => {
  expect(await ask('ots_getBlockDetails', 2)).toMatchObject({ block: { number: '0x2', transactionCount: 1 } })
  expect(await ask('ots_traceTransaction', old.transactionHash)).toMatchObject([
    { type: 'CREATE', to: old.contractAddress, output: '0x00' },
  ])
  expect(await ask('ots_getTransactionError', old.transactionHash)).toBe('0x')
  const creator = { hash: old.transactionHash, creator: sender }
  expect(await ask('ots_getContractCreator', old.contractAddress)).toEqual(creator)
  const young = await receiptOf(fork, { data: CREATION })
  expect(await ask('ots_getContractCreator', young.contractAddress)).toEqual({
    hash: young.transactionHash,
    creator: sender,
  })
})
