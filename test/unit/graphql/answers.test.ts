/** Answers about a dev chain agree with JSON-RPC. */
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { ALICE, BOB, signed } from '../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { graphql } from '../../support/nodes/graphqlNode.ts'
import { deploy, send } from '../../support/nodes/tracedNode.ts'

/** Reverts with 0x2a without input; otherwise writes two logs and slot 0, and returns the first word of the input. */
const CONTRACT = Uint8Array.of(
  ...[0x36, 0x60, 0x0c, 0x57, 0x60, 0x2a, 0x5f, 0x53, 0x60, 0x01, 0x5f, 0xfd, 0x5b],
  ...[0x60, 0x07, 0x60, 0x20, 0x5f, 0xa1, 0x60, 0x08, 0x60, 0x20, 0x5f, 0xa1],
  ...[0x60, 0x01, 0x5f, 0x55, 0x5f, 0x35, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3],
)
const topic = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

let node: OpenedNode
let contract: string
let call: string
beforeAll(async () => {
  node = await openDevNode()
  contract = await deploy(node, CONTRACT)
  call = await send(node, { to: contract, data: topic(5) })
  return () => node.node.close()
})

const ask = async (query: string, variables?: Record<string, unknown>) => {
  const answer = await graphql(node, query, variables)
  expect(answer.errors).toBeUndefined()
  expect(answer.status).toBe(200)
  return answer.data
}

const failed = async (query: string) => {
  const { status, data, errors = [] } = await graphql(node, query)
  expect(status).toBe(400)
  return { data, error: errors[0], count: errors.length }
}

describe('a block', () => {
  it('has the fields of eth_getBlockByNumber', async () => {
    const { block } = await ask(`{ block { number hash parent { hash } nonce transactionsRoot transactionCount stateRoot
      receiptsRoot miner { address } extraData gasLimit gasUsed baseFeePerGas nextBaseFeePerGas timestamp logsBloom
      mixHash difficulty totalDifficulty ommerCount ommers { hash } ommerAt(index: 0) { hash } ommerHash withdrawalsRoot
      withdrawals { index } blobGasUsed excessBlobGas transactions { hash } transactionAt(index: 0) { hash } } }`)
    const rpc = await node.rpc<Record<string, string>>('eth_getBlockByNumber', 'latest', false)
    expect(block).toMatchObject({
      number: Number(rpc['number']),
      hash: rpc['hash'],
      parent: { hash: rpc['parentHash'] },
      nonce: rpc['nonce'],
      transactionsRoot: rpc['transactionsRoot'],
      transactionCount: 1,
      stateRoot: rpc['stateRoot'],
      receiptsRoot: rpc['receiptsRoot'],
      miner: { address: rpc['miner'] },
      gasLimit: Number(rpc['gasLimit']),
      gasUsed: Number(rpc['gasUsed']),
      baseFeePerGas: rpc['baseFeePerGas'],
      nextBaseFeePerGas: await node.rpc('eth_baseFee'),
      timestamp: Number(rpc['timestamp']),
      logsBloom: rpc['logsBloom'],
      mixHash: rpc['mixHash'],
      difficulty: rpc['difficulty'],
      totalDifficulty: '0x0',
      ommerCount: 0,
      ommers: [],
      ommerAt: null,
      ommerHash: rpc['sha3Uncles'],
      withdrawalsRoot: rpc['withdrawalsRoot'],
      withdrawals: [],
      blobGasUsed: 0,
      transactions: [{ hash: call }],
      transactionAt: { hash: call },
    })
  })

  it('has its RLP', async () => {
    const { block } = await ask('{ block { raw rawHeader } }')
    expect(block.raw).toBe(await node.rpc('debug_getRawBlock', 'latest'))
    expect(block.rawHeader).toBe(await node.rpc('debug_getRawHeader', 'latest'))
  })

  it('has logs by address and topic; an empty list is a wildcard', async () => {
    const count = async (filter: string): Promise<number> =>
      (await ask(`{ block { logs(filter: ${filter}) { index } } }`)).block.logs.length
    expect(await count('{}')).toBe(2)
    expect(await count(`{ addresses: ["${contract}"], topics: [["${topic(7)}"]] }`)).toBe(1)
    expect(await count(`{ topics: [[]] }`)).toBe(2)
    expect(await count(`{ topics: [["${topic(7)}", "${topic(8)}"]] }`)).toBe(2)
    expect(await count(`{ topics: [[], []] }`)).toBe(0)
    expect(await count(`{ addresses: ["${BOB.address}"] }`)).toBe(0)
  })

  it('that does not exist is an error; both number and hash are one too', async () => {
    expect((await failed('{ block(number: 99) { number } }')).error?.message).toBe('Block number 99 was not found')
    expect((await failed('{ block(number: -1) { number } }')).data).toEqual({ block: null })
    const hash = topic(1)
    expect((await failed(`{ block(hash: "${hash}") { number } }`)).error?.message).toBe(
      `Block hash ${hash} was not found`,
    )
    const { error } = await failed(`{ block(number: 0, hash: "${hash}") { number } }`)
    expect(error?.extensions).toMatchObject({ errorCode: -32602, errorMessage: 'Invalid params' })
  })

  it('ranges end at the head', async () => {
    expect((await ask('{ blocks(from: 1, to: 99) { number } }')).blocks).toEqual([{ number: 1 }, { number: 2 }])
    expect((await ask('{ blocks(from: "0x2") { number } }')).blocks).toEqual([{ number: 2 }])
    for (const range of ['from: 2, to: 1', 'to: 1', 'from: 99']) {
      const { data, error } = await failed(`{ blocks(${range}) { number } }`)
      expect([data, error?.extensions['errorCode']]).toEqual([null, -32602])
    }
  })
})

describe('a transaction', () => {
  it('has the fields of transaction and receipt', async () => {
    const { transaction } = await ask(
      `query($hash: Bytes32!) { transaction(hash: $hash) { hash nonce index
      from { address transactionCount before: storage(slot: "0x0") } to { address code storage(slot: "0x") } value gasPrice
      maxFeePerGas maxPriorityFeePerGas effectiveTip gas inputData block { number } status gasUsed cumulativeGasUsed
      effectiveGasPrice createdContract { address } logs { index data topics account { address } transaction { hash } }
      r s v yParity type accessList { address } raw rawReceipt maxFeePerBlobGas blobGasUsed blobVersionedHashes
      isPrivate privateInputData } }`,
      { hash: call },
    )
    const rpc = await node.rpc<Record<string, string>>('eth_getTransactionByHash', call)
    const receipt = await node.rpc<Record<string, string>>('eth_getTransactionReceipt', call)
    expect(transaction).toMatchObject({
      hash: call,
      nonce: 1,
      index: 0,
      from: { address: rpc['from'], transactionCount: 2, before: topic(0) },
      to: { address: contract, code: bytesToHex(CONTRACT), storage: topic(1) },
      value: '0x0',
      gasPrice: rpc['gasPrice'],
      maxFeePerGas: rpc['maxFeePerGas'],
      maxPriorityFeePerGas: rpc['maxPriorityFeePerGas'],
      gas: Number(rpc['gas']),
      inputData: topic(5),
      block: { number: 2 },
      status: 1,
      gasUsed: Number(receipt['gasUsed']),
      cumulativeGasUsed: Number(receipt['cumulativeGasUsed']),
      effectiveGasPrice: receipt['effectiveGasPrice'],
      createdContract: null,
      r: rpc['r'],
      s: rpc['s'],
      v: rpc['v'],
      yParity: rpc['yParity'],
      type: 2,
      accessList: [],
      raw: await node.rpc('eth_getRawTransactionByHash', call),
      rawReceipt: (await node.rpc<string[]>('debug_getRawReceipts', 'latest'))[0],
      maxFeePerBlobGas: null,
      blobGasUsed: null,
      blobVersionedHashes: null,
      isPrivate: null,
      privateInputData: null,
    })
    expect(BigInt(transaction.effectiveTip)).toBe(
      BigInt(transaction.gasPrice) - BigInt((await ask('{ block { baseFeePerGas } }')).block.baseFeePerGas),
    )
    expect(transaction.logs).toEqual(
      [7, 8].map((value, index) => ({
        index,
        data: topic(0),
        topics: [topic(value)],
        account: { address: contract },
        transaction: { hash: call },
      })),
    )
  })

  it('that creates a contract names it; its accounts can be read at other blocks', async () => {
    const { block } = await ask(`{ block(number: 1) { transactions { to { address } createdContract { address code }
      at: createdContract(block: 0) { code } from(block: 0) { transactionCount } } } }`)
    expect(block.transactions).toEqual([
      {
        to: null,
        createdContract: { address: contract, code: bytesToHex(CONTRACT) },
        at: { code: '0x' },
        from: { transactionCount: 0 },
      },
    ])
    const { data, error } = await failed('{ block { transactions { to(block: 99) { address } } } }')
    expect([data.block.transactions, error?.extensions['errorCode']]).toEqual([[{ to: null }], -32602])
  })

  it('is found by hash; unknown ones are null', async () => {
    expect(await ask(`{ transaction(hash: "0x11") { hash } }`)).toEqual({ transaction: null })
  })
})

describe('logs', () => {
  it('of a range', async () => {
    const { logs } =
      await ask(`{ logs(filter: { fromBlock: 0, toBlock: 9, topics: [["${topic(8)}"]] }) { index data topics
      account { address } transaction { hash block { number } } } }`)
    expect(logs).toEqual([
      {
        index: 1,
        data: topic(0),
        topics: [topic(8)],
        account: { address: contract },
        transaction: { hash: call, block: { number: 2 } },
      },
    ])
    expect((await ask('{ logs(filter: {}) { index } }')).logs).toHaveLength(2)
    const { data, error } = await failed('{ logs(filter: { fromBlock: 2, toBlock: 1 }) { index } }')
    expect([data, error?.extensions['errorCode']]).toEqual([null, -32602])
  })
})

describe('accounts', () => {
  it('at the head, at a block, absent', async () => {
    const data = await ask(
      `query($a: Address!, $none: Address!) {
      head: account(address: $a) { address balance transactionCount code }
      genesis: account(address: $a, blockNumber: 0) { balance transactionCount }
      none: account(address: $none) { address balance transactionCount code storage(slot: "0x1") }
      block(number: 0) { account(address: $none) { balance transactionCount code } } }`,
      {
        a: ALICE.address,
        none: `0x${'12'.repeat(20)}`,
      },
    )
    expect(data.head).toEqual({
      address: ALICE.address.toLowerCase(),
      balance: await node.rpc('eth_getBalance', ALICE.address, 'latest'),
      transactionCount: 2,
      code: '0x',
    })
    expect(data.genesis).toEqual({
      balance: await node.rpc('eth_getBalance', ALICE.address, '0x0'),
      transactionCount: 0,
    })
    const empty = { balance: '0x0', transactionCount: 0, code: '0x' }
    expect(data.none).toEqual({ address: `0x${'12'.repeat(20)}`, ...empty, storage: topic(0) })
    expect(data.block.account).toEqual(empty)
    const { data: beyond, error } = await failed(`{ account(address: "${ALICE.address}", blockNumber: 9) { balance } }`)
    expect([beyond, error?.extensions['errorCode']]).toEqual([null, -32602])
  })
})

describe('calls', () => {
  const on = (data: string): string => `{ block { call(data: ${data}) { data gasUsed status } } }`

  it('return output, gas and status', async () => {
    const { block } = await ask(
      on(`{ from: "${BOB.address}", to: "${contract}", data: "${topic(9)}", value: 1, gas: "0x186a0" }`),
    )
    expect(block.call).toMatchObject({ data: topic(9), status: 1 })
    expect(block.call.gasUsed).toBeGreaterThan(21_000)
  })

  it('that revert are no errors', async () => {
    expect((await ask(on(`{ to: "${contract}" }`))).block.call).toMatchObject({ data: '0x2a', status: 0 })
  })

  it('that are invalid are errors', async () => {
    const { data, error } = await failed(on(`{ to: "${contract}", gas: 100 }`))
    expect(data).toEqual({ block: { call: null } })
    expect(error?.extensions).toMatchObject({ errorCode: -32003 })
    expect((await failed(on(`{ gas: -1 }`))).error?.extensions['errorCode']).toBe(-32602)
  })

  it('estimates equal eth_estimateGas', async () => {
    const args = `data: { to: "${contract}", data: "${topic(9)}" }`
    const { block, pending } = await ask(
      `{ block { estimateGas(${args}) } pending { estimateGas(${args}) call(${args}) { status } } }`,
    )
    const rpc = Number(await node.rpc('eth_estimateGas', { to: contract, data: topic(9) }))
    expect([block.estimateGas, pending.estimateGas, pending.call]).toEqual([rpc, rpc, { status: 1 }])
    const { data, error } = await failed(`{ block { estimateGas(data: { to: "${contract}" }) } }`)
    expect([data, error?.extensions]).toMatchObject([{ block: null }, { errorCode: -32000 }])
  })

  it('share one time limit', async () => {
    const limited = await openDevNode({ 'rpc-call-timeout-ms': 50 }, new MemoryStore())
    const loop = await deploy(limited, Uint8Array.of(0x5b, 0x5f, 0x56))
    const calls = Array.from({ length: 90 }, (_, i) => `a${i}: call(data: { to: "${loop}" }) { status }`).join(' ')
    const { status, errors = [] } = await graphql(limited, `{ block { ${calls} } }`)
    expect(status).toBe(400)
    // A fast machine reaches the end of the gas in the first calls.
    expect(errors.length).toBeGreaterThan(60)
    expect(errors.at(-1)?.message).toBe('the calls exceed their time limit')
    await limited.node.close()
  })
})

describe('waiting transactions', () => {
  it('are submitted, listed and found', async () => {
    const queued = await openDevNode({ 'no-mining': true })
    const raw = bytesToHex(await signed(ALICE, { nonce: 0, value: 5n }))
    const later = bytesToHex(await signed(ALICE, { nonce: 1 }))
    const submit = (data: string) =>
      graphql(queued, 'mutation($data: Bytes!) { sendRawTransaction(data: $data) }', { data })
    const { data } = await submit(raw)
    await submit(later)
    const answer = await graphql(
      queued,
      `{ pending { transactionCount transactions { hash nonce block { hash } index status raw rawReceipt logs { index }
      createdContract { address } gasPrice from { address } to { address } }
      account(address: "${ALICE.address}") { transactionCount } } }`,
    )
    expect(answer.errors).toBeUndefined()
    expect(answer.data.pending.transactionCount).toBe(2)
    expect(answer.data.pending.transactions[0]).toEqual({
      hash: data.sendRawTransaction,
      nonce: 0,
      block: null,
      index: null,
      status: null,
      logs: null,
      createdContract: null,
      rawReceipt: '0x',
      raw,
      gasPrice: '0x2540be400',
      from: { address: ALICE.address.toLowerCase() },
      to: { address: BOB.address.toLowerCase() },
    })
    // The pending block of the profile geth includes them.
    expect(answer.data.pending.account).toEqual({ transactionCount: 2 })
    const fields = 'value block { number } gasUsed cumulativeGasUsed effectiveGasPrice'
    const found = await graphql(queued, `{ transaction(hash: "${data.sendRawTransaction}") { ${fields} } }`)
    const notMined = { block: null, gasUsed: null, cumulativeGasUsed: null, effectiveGasPrice: null }
    expect(found.data.transaction).toEqual({ value: '0x5', ...notMined })
    const known = await submit(raw)
    expect([known.data, known.errors?.[0]]).toMatchObject([
      null,
      { message: 'already known', extensions: { errorCode: -32603 } },
    ])
    await queued.node.close()
  })

  it.each([
    ['0x01', -32602, 'Invalid params'],
    ['0x', -32602, 'Invalid params'],
  ])('refuses %s', async (data, errorCode, errorMessage) => {
    const { data: answered, error } = await failed(`mutation { sendRawTransaction(data: "${data}") }`)
    expect([answered, error?.extensions]).toMatchObject([null, { errorCode, errorMessage }])
  })
})

describe('numbers', () => {
  it('beyond 2^53 keep their digits', async () => {
    await node.rpc('hardhat_setNonce', BOB.address, '0x20000000000001')
    const response = await node.node.endpoints.get('graphql').fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        body: `{ account(address: "${BOB.address}") { transactionCount balance } chainID }`,
      }),
    )
    expect(await response.text()).toMatch(
      /^\{"data":\{"account":\{"transactionCount":9007199254740993,"balance":"0x\w+"\},"chainID":"0x7a69"\}\}$/,
    )
  })
})
