import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { SIGNERS } from '../../support/chains/cliqueHeaders.ts'
import { type CliqueNode, cliqueGenesis, openCliqueNode, sealOnHead } from '../../support/nodes/cliqueNode.ts'

const [ANN, BEN, CLEO] = SIGNERS as [(typeof SIGNERS)[0], (typeof SIGNERS)[0], (typeof SIGNERS)[0]]
const [ann, ben, cleo] = [ANN, BEN, CLEO].map(({ address }) => bytesToHex(address))
const ZERO = `0x${'00'.repeat(20)}`

let opened: CliqueNode | undefined
afterEach(async () => opened?.node.close())

async function open(options: Partial<NodeOptions> = {}, text = cliqueGenesis([ANN, BEN])): Promise<CliqueNode> {
  opened = await openCliqueNode(text, {}, options)
  return opened
}

const failed = (code: number, status = 200) => ({ status, body: { error: { code } } })
const succeeded = (result: unknown) => ({ status: 200, body: { result } })

describe('proposals of signers', () => {
  it('are replaced, listed and discarded', async () => {
    const { ask } = await open()
    expect(await ask('clique_propose', cleo?.toUpperCase().replace('0X', '0x'), true)).toMatchObject(succeeded(true))
    expect(await ask('clique_propose', cleo, 'false', 1)).toMatchObject(succeeded(true))
    expect(await ask('clique_proposals')).toMatchObject(succeeded({ [cleo as string]: false }))
    expect(await ask('clique_discard', ZERO, 1)).toMatchObject(succeeded(true))
    expect(await ask('clique_discard', cleo)).toMatchObject(succeeded(true))
    expect((await ask('clique_proposals')).body['result']).toEqual({})
  })

  it.each([
    ['clique_propose', [ZERO, true], failed(-32600, 400)],
    ['clique_propose', ['foo', true], failed(-32602)],
    ['clique_propose', [ann, 'foo'], failed(-32602)],
    ['clique_propose', [ann], failed(-32602)],
    ['clique_propose', [ann, null], failed(-32602)],
    ['clique_discard', [], failed(-32602)],
    ['clique_getSigners', ['foo'], failed(-32602)],
    ['clique_getSigners', ['0x1'], failed(-32603)],
    ['clique_getSignersAtHash', ['0x11'], failed(-32602)],
    ['clique_getSignersAtHash', [`0x${'11'.repeat(32)}`], failed(-32603)],
    ['clique_getSignerMetrics', [], failed(-32602)],
    ['clique_getSignerMetrics', ['0x0', 'safe'], failed(-32603)],
  ])('%s %j is refused', async (method, params, expected) => {
    const { ask } = await open()
    expect(await ask(method, ...params)).toMatchObject(expected)
  })

  it('are bounded', async () => {
    const { ask } = await open()
    const propose = (i: number) => ask('clique_propose', `0x${i.toString(16).padStart(40, '0')}`, true)
    for (let i = 1; i <= 1024; i++) await propose(i)
    expect(await propose(1025)).toMatchObject(failed(-32005))
    expect(await propose(1024)).toMatchObject(succeeded(true))
    await ask('clique_discard', `0x${'1'.padStart(40, '0')}`)
    expect(await propose(1025)).toMatchObject(succeeded(true))
  })

  it('of the zero address have HTTP status 200 in the profile geth', async () => {
    const { ask } = await open({ 'rpc-profile': 'geth' })
    expect(await ask('clique_propose', ZERO, true)).toMatchObject(failed(-32600))
  })
})

describe('signers of a chain', () => {
  it('are those of the next block, with the number of their blocks', async () => {
    const { ask, node } = await open()
    const add = { recipient: CLEO.address, isAdd: true }
    await sealOnHead(node.chain, BEN, add)
    await sealOnHead(node.chain, ANN, add)
    expect(await ask('clique_getSigners', '0x1')).toMatchObject(succeeded([ann, ben]))
    expect(await ask('clique_getSigners', '0x2')).toMatchObject(succeeded([ann, ben, cleo]))
    for (const tag of [undefined, 'latest', 'pending', 'safe', 'finalized'])
      expect(await ask('clique_getSigners', tag)).toMatchObject(succeeded([ann, ben, cleo]))
    const { hash } = node.chain.genesis
    expect(await ask('clique_getSignersAtHash', bytesToHex(hash))).toMatchObject(succeeded([ann, ben]))
    const { body } = await ask('clique_getSignerMetrics')
    expect(body['result']).toEqual([
      { address: ZERO, proposedBlockCount: '0x1', lastProposedBlockNumber: '0x0' },
      { address: ben, proposedBlockCount: '0x1', lastProposedBlockNumber: '0x1' },
      { address: ann, proposedBlockCount: '0x0', lastProposedBlockNumber: '0x0' },
    ])
  })

  it('are not served on a chain of another engine', async () => {
    const { ask } = await open({}, JSON.stringify({ config: {}, difficulty: '0x1', gasLimit: '0x1c9c380', alloc: {} }))
    expect(await ask('clique_getSigners')).toMatchObject(failed(-32604))
    expect(await ask('clique_proposals')).toMatchObject(failed(-32604))
  })
})
