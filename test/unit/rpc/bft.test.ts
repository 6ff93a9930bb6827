import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { addressOf } from '../../support/chains/bftHeaders.ts'
import { bftGenesis, importOnHead, openBftNode } from '../../support/nodes/bftNode.ts'

const hex = (index: number): string => bytesToHex(addressOf(index))
const NOT_ENABLED = { error: { code: -32604, message: 'Method not enabled' } }
const BAD_PARAMS = { error: { code: -32602, message: 'Invalid params' } }
const ZERO = `0x${'00'.repeat(20)}`

const metric = (address: string, count: number, last: number) => ({
  address,
  proposedBlockCount: `0x${count.toString(16)}`,
  lastProposedBlockNumber: `0x${last.toString(16)}`,
})

describe.each([
  ['ibft', 'ibft2'],
  ['qbft', 'qbft'],
])('%s_*', (prefix, kind) => {
  it('keeps the proposals of the node until they are discarded', async () => {
    const { ask } = await openBftNode(bftGenesis({ [kind]: {} }, 1))
    const call = (name: string, ...params: unknown[]) => ask(`${prefix}_${name}`, ...params)
    expect(await call('getPendingVotes')).toEqual({ result: {} })
    expect(await call('proposeValidatorVote', hex(1).toUpperCase().replace('0X', '0x'), 'true')).toEqual({
      result: true,
    })
    expect(await call('proposeValidatorVote', ZERO, true)).toEqual({ result: true })
    expect(await call('proposeValidatorVote', hex(2), 1, 'more')).toEqual({ result: true })
    expect(await call('proposeValidatorVote', hex(2), false)).toEqual({ result: true })
    expect(await call('getPendingVotes')).toEqual({ result: { [hex(1)]: true, [ZERO]: true, [hex(2)]: false } })
    expect(await call('discardValidatorVote', hex(2))).toEqual({ result: true })
    expect(await call('discardValidatorVote', hex(3))).toEqual({ result: true })
    expect(await call('getPendingVotes')).toEqual({ result: { [hex(1)]: true, [ZERO]: true } })
    for (const params of [[], [hex(1)], [hex(1), 'foo'], [hex(1), null], ['foo', true]]) {
      expect(await call('proposeValidatorVote', ...params)).toEqual(BAD_PARAMS)
    }
    for (const params of [[], ['foo']]) expect(await call('discardValidatorVote', ...params)).toEqual(BAD_PARAMS)
  })

  it('bounds the proposals', async () => {
    const { ask } = await openBftNode(bftGenesis({ [kind]: {} }, 1))
    let refused: Record<string, unknown> = {}
    for (let i = 0; refused['error'] === undefined && i < 5000; i++) {
      refused = await ask(`${prefix}_proposeValidatorVote`, `0x${i.toString(16).padStart(40, '0')}`, true)
    }
    expect(refused).toMatchObject({ error: { code: -32005, message: 'Too many proposals' } })
  })

  it('shows validators and the blocks that they proposed', async () => {
    const { node, ask } = await openBftNode(bftGenesis({ [kind]: {} }, 2))
    const call = (name: string, ...params: unknown[]) => ask(`${prefix}_${name}`, ...params)
    expect(await call('getSignerMetrics')).toEqual(BAD_PARAMS)
    const vote = { recipient: addressOf(2), isAdd: true }
    await importOnHead(node.chain, 0, [0, 1], { vote })
    await importOnHead(node.chain, 1, [0, 1], { vote, round: 1 })
    const { hash } = await importOnHead(node.chain, 0, [0, 1, 2])
    expect(await call('getValidatorsByBlockNumber', '0x2')).toEqual({ result: [hex(0), hex(1)] })
    expect(await call('getValidatorsByBlockNumber', 'latest', 5)).toEqual({ result: [hex(0), hex(1), hex(2)] })
    expect(await call('getValidatorsByBlockHash', bytesToHex(hash))).toEqual({ result: [hex(0), hex(1), hex(2)] })
    expect(await call('getValidatorsByBlockNumber', '0x9')).toEqual({ result: null })
    expect(await call('getValidatorsByBlockHash', `0x${'11'.repeat(32)}`)).toEqual({ result: null })
    expect(await call('getValidatorsByBlockNumber', 'safe')).toEqual({
      error: { code: -39001, message: 'Unknown block' },
    })
    for (const params of [[], ['foo']]) expect(await call('getValidatorsByBlockNumber', ...params)).toEqual(BAD_PARAMS)
    expect(await call('getSignerMetrics')).toEqual({
      result: [metric(ZERO, 1, 0), metric(hex(0), 1, 1), metric(hex(1), 1, 2), metric(hex(2), 0, 0)],
    })
    expect(await call('getSignerMetrics', '0x1', '0x2')).toEqual({
      result: [metric(hex(0), 1, 1), metric(hex(1), 0, 0)],
    })
    expect(await call('getSignerMetrics', '0x1', 'safe')).toMatchObject({ error: { code: -32603 } })
    expect(await call('getSignerMetrics', '0x2', '0x2')).toEqual(BAD_PARAMS)
  })
})

describe('methods of another engine', () => {
  it('are not enabled, whatever their parameters', async () => {
    const { ask } = await openBftNode(bftGenesis({ ibft2: {} }, 1))
    for (const params of [[], ['foo'], ['latest']]) {
      expect(await ask('qbft_getValidatorsByBlockNumber', ...params)).toEqual(NOT_ENABLED)
      expect(await ask('qbft_proposeValidatorVote', ...params)).toEqual(NOT_ENABLED)
    }
  })

  it('change places where IBFT 2.0 becomes QBFT, and validators remain', async () => {
    const { node, ask } = await openBftNode(bftGenesis({ ibft2: {}, qbft: { startblock: 2 } }, 2))
    await importOnHead(node.chain, 1, [0, 1])
    expect(await ask('ibft_getPendingVotes')).toEqual({ result: {} })
    expect(await ask('qbft_getSignerMetrics', 'foo')).toEqual(NOT_ENABLED)
    await importOnHead(node.chain, 0, [0, 1])
    await importOnHead(node.chain, 1, [1, 0], { round: 2 })
    expect(await ask('ibft_getPendingVotes')).toEqual(NOT_ENABLED)
    expect(await ask('qbft_getPendingVotes')).toEqual({ result: {} })
    for (const number of ['0x0', '0x1', '0x2', '0x3']) {
      expect(await ask('qbft_getValidatorsByBlockNumber', number)).toEqual({ result: [hex(0), hex(1)] })
    }
    expect(await ask('qbft_getSignerMetrics', '0x1')).toEqual({ result: [metric(hex(1), 1, 1), metric(hex(0), 1, 2)] })
  })
})

describe('a validator contract', () => {
  const CONTRACT = `0x${'88'.repeat(20)}`
  const word = (hexText: string): string => hexText.replace(/^0x/, '').padStart(64, '0')
  /** Returns the words. */
  const returning = (...words: string[]): string => {
    const stores = words.map((text, i) => `7f${word(text)}60${(i * 32).toString(16).padStart(2, '0')}52`).join('')
    return `0x${stores}60${(words.length * 32).toString(16).padStart(2, '0')}6000f3`
  }
  const config = { qbft: { validatorcontractaddress: CONTRACT } }
  const open = (code: string) => openBftNode(bftGenesis(config, 0, { [CONTRACT]: { balance: '0x0', code } }))

  it('lists the validators; votes are not enabled', async () => {
    const { node, ask } = await open(returning('20', '2', hex(1), hex(0)))
    await importOnHead(node.chain, 1, [0, 1])
    expect(await ask('qbft_getValidatorsByBlockNumber', 'latest')).toEqual({ result: [hex(0), hex(1)] })
    expect(await ask('qbft_getSignerMetrics', '0x0')).toEqual({
      result: [metric(ZERO, 1, 0), metric(hex(0), 0, 0), metric(hex(1), 0, 0)],
    })
    for (const method of ['proposeValidatorVote', 'discardValidatorVote', 'getPendingVotes']) {
      expect(await ask(`qbft_${method}`)).toEqual(NOT_ENABLED)
    }
    await expect(importOnHead(node.chain, 1, [1])).rejects.toThrow('invalid seals: 1 of them, at least 2 are required')
    await expect(importOnHead(node.chain, 2, [0, 1])).rejects.toThrow('invalid beneficiary')
  })

  it.each([
    ['reverts', '0x60006000fd', 'failed: reverted'],
    ['runs out of gas', '0x5b600056', 'failed: '],
    ['returns nothing', '0x00', 'returned nothing, which is not a list of addresses'],
    ['has no code', '0x', 'returned nothing, which is not a list of addresses'],
    [
      'answers nonsense',
      returning('ff'.repeat(32), 'ff'.repeat(32)),
      'returned 64 bytes, which is not a list of addresses',
    ],
  ])('that %s refuses every block with its reason', async (_, code, reason) => {
    const { node, ask } = await open(code)
    await expect(importOnHead(node.chain, 1, [0, 1])).rejects.toThrow(`the validator contract ${CONTRACT} ${reason}`)
    expect(await ask('qbft_getValidatorsByBlockNumber', 'latest')).toMatchObject({ error: { code: -32603 } })
  })
})
