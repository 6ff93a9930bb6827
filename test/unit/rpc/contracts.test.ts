// slow: compiled contracts
/** Methods that explain contracts and transactions, on a dev chain with compiled contracts. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { encodeDeployData, encodeEventTopics, encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { NodeOptions } from '../../../src/config/options.ts'
import { compileContract, compileProject, type ProjectContract } from '../../support/evm/solidity.ts'
import { folderOf, recordActivity } from '../../support/nodes/activity.ts'
import { ALICE, BOB } from '../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'
import { foundryFiles, hardhat2Files, hardhat3Files } from '../../support/nodes/failures.ts'
import { openGenesisNode } from '../../support/nodes/genesisNode.ts'

const openNode = closedAfterEach()
const SOURCE = 'contracts/Bank.sol'
const content = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/explained/Bank.sol'), 'utf8')
const project = compileProject({ [SOURCE]: content }, { evmVersion: 'cancun' })
const withLayout = compileProject({ [SOURCE]: content }, { evmVersion: 'cancun' }, ['storageLayout'])
const OWNER = '0x00000000000000000000000000000000000000aa'
const FORMS = [
  ['Hardhat 2', hardhat2Files],
  ['Hardhat 3', hardhat3Files],
  ['Foundry', foundryFiles],
] as const

function compiled(name: string): ProjectContract {
  return project.output.contracts[SOURCE]?.[name] as ProjectContract
}

function initCode(name: string, ...args: readonly unknown[]): Hex {
  const { abi, evm } = compiled(name)
  return encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args } as never)
}

function callData(functionName: string, ...args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: compiled('Bank').abi, functionName, args } as never)
}

interface Setup extends OpenedNode {
  send(fields: object): Promise<Hex>
  /** @returns the address */
  create(data: Hex, value?: Hex): Promise<Hex>
  summary(hash: Hex): Promise<Summary>
}

interface AccountChange {
  readonly contract: string | null
  readonly slots: readonly object[]
}

interface Decoded {
  readonly name: string
  readonly signature: string
  readonly selector: string
  readonly args: readonly { name: string; type: string; value: unknown; indexed?: true; components?: unknown }[]
  readonly contract: string | null
  readonly certainty: string
}

interface Summary {
  readonly [name: string]: unknown
  readonly sentence: string
  readonly call: Decoded | null
  readonly logs: readonly (Decoded | null)[]
}

async function open(
  options: Partial<NodeOptions> = {},
  files: ReadonlyMap<string, string> = hardhat2Files(project),
): Promise<Setup> {
  const activity = recordActivity()
  activity.isOn = false
  const sources = new Map([[SOURCE, new TextEncoder().encode(content)]])
  const artifacts = files.size === 0 ? [] : [folderOf(files, 'out', sources)]
  const opened = await openNode(options, undefined, { activity: { output: activity.host.output, artifacts } })
  const { rpc } = opened
  const send = (fields: object): Promise<Hex> =>
    rpc('eth_sendTransaction', { from: ALICE.address, gas: '0x400000', ...fields })
  const create = async (data: Hex, value: Hex = '0x0'): Promise<Hex> => {
    const hash = await send({ data, value })
    return (await rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)).contractAddress
  }
  return { ...opened, send, create, summary: (hash) => rpc('isonode_summary', hash) }
}

const bank = ({ create }: Setup): Promise<Hex> => create(initCode('Bank', OWNER, 7n), '0x64')

describe('isonode_contractAt', () => {
  it.each(FORMS)('names a contract of %s by its code, whatever its immutables', async (_, filesOf) => {
    const node = await open({}, filesOf(project))
    const [one, two] = [await bank(node), await node.create(initCode('Bank', ALICE.address, 1n))]
    const [first, second] = [
      await node.rpc<{ id: string }>('isonode_contractAt', one),
      await node.rpc<{ id: string }>('isonode_contractAt', two),
    ]
    expect(first).toMatchObject({
      name: 'Bank',
      sourceName: SOURCE,
      matchedBy: 'code',
      implementation: null,
      delegation: null,
      hasSource: true,
    })
    expect(first).toMatchObject({ abi: compiled('Bank').abi })
    expect(second.id).toBe(first.id)
  })

  it('says which version of the compiler made the code', async () => {
    const node = await open()
    expect(await node.rpc('isonode_contractAt', await bank(node))).toMatchObject({ compiler: '0.8.37' })
  })

  it('is null without code, and for a block before the contract', async () => {
    const node = await open()
    const address = await bank(node)
    expect(await node.rpc('isonode_contractAt', OWNER)).toBeNull()
    expect(await node.rpc('isonode_contractAt', address, '0x0')).toBeNull()
    await expect(node.rpc('isonode_contractAt', address, '0x99')).rejects.toThrow('header not found')
  })

  it('finds the implementation behind proxies and the account that one delegates to', async () => {
    const node = await open()
    const target = await bank(node)
    const beacon = await node.create(initCode('Beacon', target))
    const proxies = [
      await node.create(initCode('Proxy', target)),
      await node.create(initCode('BeaconProxy', beacon)),
      await node.create(`0x602c8060095f395ff3365f5f375f5f365f73${target.slice(2)}5af43d5f5f3e5f3d91602a57fd5bf3`),
      await node.create(`0x3d602d80600a3d3981f3363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`),
    ]
    for (const proxy of proxies) {
      const { implementation } = await node.rpc<{ implementation: string }>('isonode_contractAt', proxy)
      expect(implementation.toLowerCase()).toBe(target)
    }
    await node.rpc('hardhat_setCode', OWNER, `0xef0100${target.slice(2)}`)
    const delegated = await node.rpc<{ delegation: string }>('isonode_contractAt', OWNER)
    expect(delegated).toMatchObject({ name: 'Bank', matchedBy: 'code' })
    expect(delegated.delegation.toLowerCase()).toBe(target)
  })

  it('knows standard interfaces and selectors without --abi', async () => {
    const node = await open({}, new Map())
    const token = compileContract('Token')
    const address = await node.create(encodeDeployData({ abi: token.abi, bytecode: token.bytecode, args: [5n] }))
    const found = await node.rpc<{ abi: { name: string }[]; selectors: string[] }>('isonode_contractAt', address)
    expect(found).toMatchObject({ name: 'ERC20', matchedBy: 'interface', hasSource: false, sourceName: null })
    expect(found.abi.map(({ name }) => name)).toContain('transferFrom')
    const signatures = token.abi.filter((item) => item.type === 'function')
    const selectors = signatures.map((item) => encodeFunctionSelector(item)).sort()
    expect([...found.selectors].sort()).toEqual(selectors)
    const other = await bank(node)
    expect(await node.rpc('isonode_contractAt', other)).toMatchObject({
      name: 'unknown contract',
      matchedBy: 'selectors',
      abi: [],
      compiler: '0.8.37',
    })
  })
})

function encodeFunctionSelector(item: { readonly name?: string; readonly inputs?: readonly { type: string }[] }): Hex {
  const text = `${item.name}(${item.inputs?.map(({ type }) => type).join()})`
  return keccak256(toHex(text)).slice(0, 10) as Hex
}

it('--abi works on other chains than the dev chain', async () => {
  const alloc = { [OWNER]: { balance: '0x0', code: `0x${compiled('Bank').evm.deployedBytecode.object}` } }
  const genesis = {
    config: { chainId: 5, londonBlock: 0, ethash: {} },
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    alloc,
  }
  const { host } = recordActivity()
  const node = await openGenesisNode(
    JSON.stringify(genesis),
    { 'rpc-http-api': ['ETH', 'ISONODE'] },
    { activity: { ...host, artifacts: [folderOf(hardhat2Files(project))] } },
  )
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'isonode_contractAt', params: [OWNER] })
  const answer = await node.fetch(
    new Request('http://localhost/', { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
  )
  expect(await answer.json()).toMatchObject({ result: { name: 'Bank', matchedBy: 'code', hasSource: true } })
  await node.close()
})

describe('isonode_contracts', () => {
  it('lists the contracts and where they are', async () => {
    const node = await open()
    const [one, two] = [await bank(node), await bank(node)]
    await node.rpc('hardhat_mine', '0x1000')
    const list = await node.rpc<{ name: string; addresses: string[] }[]>('isonode_contracts')
    expect(list.map(({ name }) => name).sort()).toEqual(['Bank', 'Beacon', 'BeaconProxy', 'Proxy', 'Things'])
    const found = list.find(({ name }) => name === 'Bank')
    expect(found).toMatchObject({ sourceName: SOURCE, hasSource: true })
    expect(found?.addresses.map((address) => address.toLowerCase()).sort()).toEqual([one, two].sort())
    const id = await node.rpc('evm_snapshot')
    await bank(node)
    await node.rpc('evm_revert', id)
    const after = await node.rpc<typeof list>('isonode_contracts')
    expect(after.find(({ name }) => name === 'Bank')?.addresses).toHaveLength(2)
  })

  it('is empty without --abi', async () => {
    expect(await (await open({}, new Map())).rpc('isonode_contracts')).toEqual([])
  })
})

describe('isonode_source', () => {
  it.each(FORMS)('has sources and maps of %s', async (_, filesOf) => {
    const node = await open({}, filesOf(project))
    const { id } = await node.rpc<{ id: string }>('isonode_contractAt', await bank(node))
    const { evm } = compiled('Bank')
    expect(await node.rpc('isonode_source', id)).toMatchObject({
      id,
      name: 'Bank',
      language: 'Solidity',
      isOptimised: false,
      viaIR: false,
      sources: [{ id: 0, content }],
      runtimeMap: evm.deployedBytecode.sourceMap,
      creationMap: evm.bytecode.sourceMap,
    })
    expect(await node.rpc('isonode_source', `0x${'00'.repeat(32)}`)).toBeNull()
  })
})

describe('isonode_decode', () => {
  const order = { to: BOB.address, amounts: [3n, 4n], note: 'x\u202ey' }

  it('decodes a call with tuples by the ABI of the contract, and by that of another one', async () => {
    const node = await open()
    const data = callData('pay', [order])
    const decoded = await node.rpc<Decoded>('isonode_decode', data, 'call', await bank(node))
    expect(decoded).toMatchObject({
      name: 'pay',
      signature: 'pay((address,uint256[2],string)[])',
      selector: data.slice(0, 10),
      contract: 'Bank',
      certainty: 'contract',
    })
    expect(decoded.args).toEqual([
      {
        name: 'orders',
        type: '(address,uint256[2],string)[]',
        value: [[BOB.address, ['3', '4'], 'x\u202ey']],
        components: [
          {
            name: '0',
            type: '(address,uint256[2],string)',
            value: [BOB.address, ['3', '4'], 'x\u202ey'],
            components: [
              { name: 'to', type: 'address', value: BOB.address },
              { name: 'amounts', type: 'uint256[2]', value: ['3', '4'] },
              { name: 'note', type: 'string', value: 'x\u202ey' },
            ],
          },
        ],
      },
    ])
    expect(await node.rpc('isonode_decode', data, 'call')).toMatchObject({ certainty: 'known', contract: null })
  })

  it('decodes events with hashed topics, errors, constructors and what is standard', async () => {
    const node = await open()
    const address = await bank(node)
    const hash = keccak256(toHex('hi'))
    const topics = encodeEventTopics({ abi: compiled('Bank').abi, eventName: 'Noted', args: { note: 'hi' } } as never)
    const log = { topics, data: `0x${callData('pay', [order]).slice(2 + 8 + 128)}` }
    expect(await node.rpc('isonode_decode', log, 'event', address)).toMatchObject({
      name: 'Noted',
      selector: topics[0],
      args: [{ name: 'note', type: 'string', value: { hash }, indexed: true }, { name: 'order' }],
    })
    const init = initCode('Bank', OWNER, 7n)
    const created = {
      name: 'constructor',
      contract: 'Bank',
      args: [
        { name: 'first', value: OWNER.replace('aa', 'AA') },
        { name: 'start', value: '7' },
      ],
    }
    expect(await node.rpc('isonode_decode', init, 'constructor')).toMatchObject(created)
    const word = '5'.padStart(64, '0')
    expect(await node.rpc('isonode_decode', `0xcf479181${word}${word}`, 'error', address)).toMatchObject({
      signature: 'InsufficientBalance(uint256,uint256)',
      certainty: 'contract',
    })
    expect(await node.rpc('isonode_decode', `0x4e487b71${word}`, 'error')).toMatchObject({
      name: 'Panic',
      certainty: 'standard',
    })
    expect(await node.rpc('isonode_decode', '0x12345678', 'call')).toBeNull()
  })

  it('refuses data of another kind and unknown kinds', async () => {
    const { rpc } = await open()
    await expect(rpc('isonode_decode', '0x12', 'event')).rejects.toThrow('topics')
    await expect(rpc('isonode_decode', { topics: [] }, 'call')).rejects.toThrow('expected hex')
    await expect(rpc('isonode_decode', '0x12', 'storage')).rejects.toThrow('one of call')
  })
})

describe('isonode_summary', () => {
  it('names the variables that changed, with their values', async () => {
    const node = await open({}, hardhat2Files(withLayout))
    const to = await bank(node)
    const { changes } = await node.summary(await node.send({ to, data: callData('deposit', 5n) }))
    const { slots } = (changes as AccountChange[]).find(({ contract }) => contract === 'Bank') as AccountChange
    expect(slots).toEqual([
      expect.objectContaining({ variable: 'total', type: 'uint256', beforeText: '7', afterText: '12' }),
      expect.objectContaining({
        variable: expect.stringMatching(new RegExp(`^balances\\[${ALICE.address}\\]$`, 'i')),
        beforeText: '0',
        afterText: '5',
      }),
    ])
  })

  it('of a transfer', async () => {
    const node = await open()
    const summary = await node.summary(await node.send({ to: BOB.address, value: '0xde0b6b3a7640000' }))
    expect(summary.sentence).toBe('0xf39F…2266 sent 1 ETH to 0x7099…79C8')
    expect(summary).toMatchObject({
      status: 'success',
      contract: null,
      call: null,
      transfers: [
        { standard: 'native', token: null, from: ALICE.address, to: BOB.address, amount: '1000000000000000000' },
      ],
    })
  })

  it('of a creation', async () => {
    const node = await open()
    const hash = await node.send({ data: initCode('Bank', OWNER, 7n), value: '0x64' })
    const summary = await node.summary(hash)
    expect(summary.sentence).toMatch(/^0xf39F…2266 created `Bank` at 0x\w{4}…\w{4} with 100 wei$/)
    expect(summary).toMatchObject({ contractName: 'Bank', call: { name: 'constructor' }, status: 'success' })
    expect(summary['created']).toBe(summary['contract'])
  })

  it('of a call, with logs, changes and console.log', async () => {
    const node = await open()
    const to = await bank(node)
    const summary = await node.summary(await node.send({ to, data: callData('deposit', 5n) }))
    expect(summary.sentence).toBe('0xf39F…2266 called `Bank.deposit(5)`')
    expect(summary).toMatchObject({
      status: 'success',
      contractName: 'Bank',
      call: { name: 'deposit', args: [{ name: 'amount', value: '5' }] },
      error: null,
      logs: [{ name: 'Deposited', args: [{ name: 'from', value: ALICE.address, indexed: true }, { value: '5' }] }],
      console: ['deposit 5'],
      isCut: false,
    })
    const changes = summary['changes'] as {
      address: string
      contract: string
      slots: { before: string; after: string }[]
    }[]
    const own = changes.find(({ address }) => address.toLowerCase() === to)
    expect(own?.contract).toBe('Bank')
    expect(own?.slots.map(({ before, after }) => [BigInt(before), BigInt(after)])).toEqual([
      [7n, 12n],
      [0n, 5n],
    ])
  })

  it('of a call through a proxy', async () => {
    const node = await open()
    const proxy = await node.create(initCode('Proxy', await bank(node)))
    const summary = await node.summary(await node.send({ to: proxy, data: callData('deposit', 5n) }))
    expect(summary.sentence).toBe('0xf39F…2266 called `Bank.deposit(5)`')
    expect(summary).toMatchObject({ contractName: 'Proxy', logs: [{ name: 'Deposited', contract: 'Bank' }] })
  })

  it.each(FORMS)('of a failure, with its line, by %s', async (_, filesOf) => {
    const node = await open({}, filesOf(project))
    const to = await bank(node)
    const summary = await node.summary(await node.send({ to, data: callData('withdraw', 5n) }))
    expect(summary.sentence).toBe('reverted in `Bank.take`: InsufficientBalance(5, 0)')
    const line = (text: string) => content.slice(0, content.indexOf(text)).split('\n').length
    expect(summary).toMatchObject({
      status: 'failed',
      errorText: 'InsufficientBalance(5, 0)',
      error: { name: 'InsufficientBalance', certainty: 'contract', args: [{ value: '5' }, { value: '0' }] },
      failure: [
        { contract: 'Bank', function: 'take', source: { path: SOURCE, line: line('revert InsufficientBalance(') } },
        { contract: 'Bank', function: 'withdraw', source: { path: SOURCE, line: line('take(amount);') } },
      ],
      transfers: [],
      created: null,
    })
  })

  it('of tokens and inner transfers', async () => {
    const node = await open()
    const things = await node.create(initCode('Things'))
    const { abi } = compiled('Things')
    const data = encodeFunctionData({ abi, functionName: 'give', args: [BOB.address, 9n] } as never)
    const { transfers } = await node.summary(await node.send({ to: things, data }))
    const between = { from: ALICE.address, to: BOB.address }
    expect(transfers).toMatchObject([
      { standard: 'ERC721', ...between, amount: '1', tokenId: '9' },
      { standard: 'ERC1155', ...between, amount: '5', tokenId: '9' },
      { standard: 'ERC1155', ...between, amount: '10', tokenId: '1' },
      { standard: 'ERC1155', ...between, amount: '20', tokenId: '2' },
    ])
    const to = await bank(node)
    const order = { to: BOB.address, amounts: [3n, 4n], note: 'x' }
    const paid = await node.summary(await node.send({ to, data: callData('pay', [order]), value: '0x5' }))
    expect((paid['transfers'] as { amount: string }[]).map(({ amount }) => amount)).toEqual(['5', '3'])
    expect(paid.sentence).toContain('[(0x70997970C51812dc3A010C7d01b50e0d17dc79C8, [3, 4], "x")]')
    expect(paid.sentence).toMatch(/` with 5 wei$/)
  })

  it('without --abi', async () => {
    const node = await open({}, new Map())
    const to = await bank(node)
    const failed = await node.summary(await node.send({ to, data: callData('withdraw', 5n) }))
    expect(failed.sentence).toMatch(/^reverted in `0x\w{4}…\w{4}\.withdraw`: custom error 0xcf479181/)
    expect(failed).toMatchObject({ status: 'failed', contractName: null, error: null })
    const token = compileContract('Token')
    const address = await node.create(encodeDeployData({ abi: token.abi, bytecode: token.bytecode, args: [5n] }))
    const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [BOB.address, 2n] })
    const summary = await node.summary(await node.send({ to: address, data }))
    expect(summary.sentence).toBe(`0xf39F…2266 called \`ERC20.transfer(${BOB.address}, 2)\``)
    expect(summary).toMatchObject({
      call: { certainty: 'standard' },
      transfers: [{ standard: 'ERC20', from: ALICE.address, to: BOB.address, amount: '2' }],
    })
  })

  it('says when logs or transfers are left out', async () => {
    const node = await open({}, new Map())
    const many = async (code: Hex): Promise<Summary> => {
      await node.rpc('hardhat_setCode', OWNER, code)
      await node.rpc('hardhat_setBalance', OWNER, '0xffff')
      return node.summary(await node.send({ to: OWNER, gas: '0xf00000' }))
    }
    const loop = '6001900380600357'
    const logs = await many(`0x6127115b60006000a0${loop}`)
    expect(logs.logs).toHaveLength(10_000)
    expect(logs).toMatchObject({ status: 'success', isCut: true })
    const calls = await many(`0x6103e95b6000600060006000600160bb5af150${loop}`)
    expect(calls['transfers']).toHaveLength(1_000)
    expect(calls).toMatchObject({ status: 'success', isCut: true })
    const failing = await many('0x5b600056')
    expect(failing.sentence).toBe('failed in `0x0000…00AA`: out of gas')
  })

  it('of what waits, and why', async () => {
    const node = await open({ 'no-mining': true })
    const first = await node.send({ to: BOB.address, value: '0x1' })
    expect(await node.summary(first)).toMatchObject({
      status: 'pending',
      sentence: '0xf39F…2266 sends 1 wei to 0x7099…79C8',
      waitsFor: 'a block, which is made on request only: automine is off',
    })
    const second = await node.send({ to: BOB.address, nonce: '0x1' })
    expect((await node.summary(second))['waitsFor']).toBe(
      `an earlier transaction of its sender, ${first}, is not in a block yet`,
    )
    const gap = await node.send({ to: BOB.address, nonce: '0x9' })
    expect(await node.summary(gap)).toMatchObject({
      status: 'queued',
      waitsFor: 'it has nonce 9, and nonce 2 of its sender is missing',
    })
    const cheap = await node.send({ from: BOB.address, to: BOB.address, gasPrice: '0x3b9aca00' })
    await node.rpc('hardhat_setNextBlockBaseFeePerGas', '0x77359400')
    expect((await node.summary(cheap))['waitsFor']).toBe('its maximum fee of 1 gwei is below the base fee of 2 gwei')
    expect(await node.rpc('isonode_summary', `0x${'11'.repeat(32)}`)).toBeNull()
  })
})

describe('GET /sourcify', () => {
  const get = (node: OpenedNode, path: string, method = 'GET') =>
    node.node.fetch(new Request(`http://localhost/sourcify/contracts/${path}`, { method }))

  it.each(FORMS)('has metadata and sources of %s', async (_, filesOf) => {
    const node = await open({}, filesOf(project))
    const place = `full_match/31337/${await bank(node)}`
    const metadata = await get(node, `${place}/metadata.json`)
    expect(metadata.headers.get('content-type')).toBe('application/json')
    const expected = JSON.parse(compiled('Bank').metadata) as object
    expect(await metadata.json()).toEqual(expected)
    const source = await get(node, `${place}/sources/${encodeURIComponent(SOURCE)}`)
    expect(source.headers.get('content-security-policy')).toContain('sandbox')
    expect(await source.text()).toBe(content)
    expect((await get(node, `${place}/sources/${SOURCE}`)).status).toBe(200)
  })

  it('has nothing else, whatever the path', async () => {
    const node = await open()
    const place = `full_match/31337/${await bank(node)}`
    const paths = [
      'full_match/1/0x1234/metadata.json',
      `full_match/1/${OWNER}/metadata.json`,
      `full_match/31337/${OWNER}/metadata.json`,
      `${place}/sources/..%2f..%2fpackage.json`,
      `${place}/sources/%ff`,
      `${place}/sources/__proto__`,
      `${place}/Bank.json`,
    ]
    for (const path of paths) expect((await get(node, path)).status, path).toBe(404)
    expect((await get(node, `${place}/metadata.json`, 'DELETE')).status).toBe(405)
    expect((await node.node.fetch(new Request('http://localhost/other'))).status).toBe(404)
  })

  it('is off without the group ISONODE', async () => {
    const node = await open({ 'rpc-http-api': ['ETH', 'DEV'] })
    expect((await get(node, `full_match/31337/${await bank(node)}/metadata.json`)).status).toBe(404)
    await expect(node.rpc('isonode_contracts')).rejects.toThrow('not available')
  })
})
