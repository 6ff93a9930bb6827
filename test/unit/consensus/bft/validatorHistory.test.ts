// slow: long histories
import { describe, expect, it } from 'vitest'
import { TALLY_RECORD_INTERVAL } from '../../../../src/base/limits/limits.ts'
import { bytesToHex, equalBytes } from '../../../../src/base/primitives/bytes.ts'
import { sortAddresses } from '../../../../src/consensus/bft/addresses.ts'
import { BftEngine } from '../../../../src/consensus/bft/bft.ts'
import { addressOf, BftHeaders, SIGNERS } from '../../../support/chains/bftHeaders.ts'

/** Validators of the next block as indexes of SIGNERS. */
const validatorsOf = (chain: BftHeaders): number[] =>
  chain.validators.map((address) => SIGNERS.findIndex((signer) => equalBytes(signer.address, address)))

/** The same chain for an engine that has computed nothing yet. */
function reopened(chain: BftHeaders, config: object, validators: number): BftHeaders {
  const copy = new BftHeaders(config, validators)
  for (const [hash, header] of chain.stored) copy.stored.set(hash, header)
  copy.head = chain.head
  return copy
}

describe.each(['ibft2', 'qbft'] as const)('validators of %s', (kind) => {
  const open = (settings: object = {}, validators = 4): BftHeaders => new BftHeaders({ [kind]: settings }, validators)

  it('change by votes of more than half', () => {
    const chain = open()
    chain.vote(0, 4, true)
    chain.vote(1, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3])
    chain.vote(1, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3])
    chain.vote(2, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3, 4])
    for (const proposer of [0, 1, 2]) chain.vote(proposer, 3, false)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 4])
  })

  it('change by the last vote of each validator only', () => {
    const chain = open()
    chain.vote(0, 4, true)
    chain.vote(1, 4, true)
    chain.vote(1, 4, false)
    chain.vote(2, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3])
    chain.vote(3, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3, 4])
  })

  it('lose their votes when they are removed', () => {
    const chain = open()
    chain.vote(3, 4, true)
    for (const proposer of [0, 1, 2]) chain.vote(proposer, 3, false)
    expect(validatorsOf(chain)).toEqual([0, 1, 2])
    chain.vote(0, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2])
    chain.vote(1, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 4])
  })

  it('forget open votes in an epoch block, whose own vote has no effect', () => {
    const chain = open({ epochlength: 3 })
    chain.vote(0, 4, true)
    chain.vote(1, 4, true)
    chain.vote(2, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3])
    chain.vote(0, 4, true)
    chain.vote(1, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3])
  })

  it('are computed again from headers alone', () => {
    const chain = open()
    for (const proposer of [0, 1, 2]) chain.vote(proposer, 4, true)
    chain.vote(3, 0, false)
    const copy = reopened(chain, { [kind]: {} }, 4)
    expect(validatorsOf(copy)).toEqual([0, 1, 2, 3, 4])
    copy.vote(1, 0, false)
    copy.vote(2, 0, false)
    expect(validatorsOf(copy)).toEqual([1, 2, 3, 4])
  })

  it('are different on different branches', () => {
    const chain = open()
    chain.vote(0, 4, true)
    chain.vote(1, 4, true)
    const fork = chain.head
    chain.vote(2, 4, true)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3, 4])
    chain.head = fork
    chain.add({ proposer: 2 })
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3])
  })

  it('are unknown when a block below is missing', () => {
    const chain = open()
    const first = chain.add()
    chain.add()
    const copy = reopened(chain, { [kind]: {} }, 4)
    copy.stored.delete(bytesToHex(chain.hashOf(first)))
    expect(() => copy.validators).toThrow(expect.objectContaining({ code: 'VALIDATORS_UNKNOWN' }))
  })

  it('are taken over from a transition, then changed by the vote before it', () => {
    const transition = { block: 3, validators: [5, 1].map((i) => bytesToHex(addressOf(i))) }
    const chain = new BftHeaders({ [kind]: {}, transitions: { [kind]: [transition, { block: 5 }] } }, 1)
    chain.add()
    expect(validatorsOf(chain)).toEqual([0])
    chain.add()
    expect(validatorsOf(chain)).toEqual([1, 5])
    chain.add({ proposer: 1 })
    chain.add({ proposer: 5 })
    expect(validatorsOf(chain)).toEqual([1, 5])
    const single = { block: 2, validators: [bytesToHex(addressOf(3))] }
    const voted = new BftHeaders({ [kind]: {}, transitions: { [kind]: [single] } }, 1)
    voted.vote(0, 2, true)
    expect(validatorsOf(voted)).toEqual([2, 3])
  })
})

describe('records of validators', () => {
  it('are written at intervals, and end the search for headers', () => {
    const chain = new BftHeaders({ qbft: {} }, 1)
    for (let i = 0; i < TALLY_RECORD_INTERVAL - 2; i++) chain.add()
    chain.vote(0, 1, true)
    chain.vote(0, 2, true)
    expect(chain.head.number).toBe(BigInt(TALLY_RECORD_INTERVAL))
    chain.add()
    expect(chain.records.size).toBe(1)
    const copy = reopened(chain, { qbft: {} }, 1)
    for (const [key, value] of chain.records) copy.records.set(key, value)
    copy.stored.clear()
    copy.stored.set(bytesToHex(chain.head.parentHash), chain.stored.get(bytesToHex(chain.head.parentHash)) as never)
    expect(validatorsOf(copy)).toEqual([0, 1])
    copy.stored.set(bytesToHex(chain.hashOf(chain.head)), chain.head)
    copy.vote(1, 2, true)
    expect(validatorsOf(copy)).toEqual([0, 1, 2])
  })
})

describe('the change from IBFT 2.0 to QBFT', () => {
  const config = { ibft2: {}, qbft: { startblock: 4 } }

  it('keeps validators and open votes', () => {
    const chain = new BftHeaders(config, 4)
    chain.vote(0, 4, true)
    chain.vote(1, 4, true)
    chain.add()
    expect(chain.next.name).toBe('qbft')
    chain.vote(2, 4, true)
    expect(chain.head.number).toBe(4n)
    expect(validatorsOf(chain)).toEqual([0, 1, 2, 3, 4])
    chain.add({ proposer: 4 })
    expect(validatorsOf(reopened(chain, config, 4))).toEqual([0, 1, 2, 3, 4])
  })
})

describe('validators in a contract', () => {
  const config = { qbft: { validatorcontractaddress: `0x${'88'.repeat(20)}` } }
  const word = (value: number | Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(32)
    if (typeof value === 'number') bytes[31] = value
    else bytes.set(value, 12)
    return bytes
  }
  const output = (...words: (number | Uint8Array)[]) => ({
    kind: 'returned' as const,
    output: Uint8Array.from(words.flatMap((value) => [...word(value)])),
  })

  const chainOf = (result: BftHeaders['parentCallResult']): BftHeaders => {
    const chain = new BftHeaders(config, 0)
    chain.parentCallResult = result
    return chain
  }

  it('are sorted; headers list neither validators nor votes', () => {
    const chain = chainOf(output(32, 2, addressOf(3), addressOf(1)))
    expect(validatorsOf(chain)).toEqual([1, 3])
    expect(chain.verify(chain.child({ proposer: 1 }))).toBeUndefined()
    expect(chain.verify(chain.child({ proposer: 2 }))).toMatch('invalid beneficiary')
    expect(chain.verify(chain.child({ proposer: 1, sealers: [1] }))).toMatch('invalid seals: 1 of them')
    expect(chain.verify(chain.child({ proposer: 1, extra: { validators: [addressOf(1)] } }))).toBe(
      'invalid extra data: 1 validators, a contract lists them',
    )
    const vote = { recipient: addressOf(2), isAdd: true }
    expect(chain.verify(chain.child({ proposer: 1, extra: { vote } }))).toBe(
      'invalid extra data: a vote, but a contract lists the validators',
    )
    expect(chain.next).toBeInstanceOf(BftEngine)
  })

  it.each([
    [undefined, "cannot be called: the parent's state is not available"],
    [{ kind: 'failed' as const, reason: 'reverted' }, 'failed: reverted'],
    [output(), 'returned nothing, which is not a list of addresses'],
    [output(32), 'returned 32 bytes, which is not'],
    [output(64, 1, addressOf(1)), 'which is not a list'],
    [output(32, 2, addressOf(1)), 'which is not a list'],
    [output(32, 1, new Uint8Array(20)), undefined],
    [{ kind: 'returned' as const, output: new Uint8Array(64).fill(0xff) }, 'which is not a list'],
    [
      { kind: 'returned' as const, output: Uint8Array.of(...word(32), ...word(1), ...new Uint8Array(32).fill(1)) },
      'which is not a list',
    ],
    [output(32, 0), undefined],
  ])('%o: %s', (result, reason) => {
    const valid = chainOf(output(32, 1, addressOf(1)))
    const header = valid.child({ proposer: 1 })
    valid.parentCallResult = result
    const found = valid.verify(header)
    expect(found).toMatch(reason === undefined ? 'invalid beneficiary' : `the validator contract 0x${'88'.repeat(20)}`)
    if (reason !== undefined) expect(found).toContain(reason)
  })

  it('may follow validators in headers, and these may follow them', () => {
    const chain = new BftHeaders(
      {
        qbft: {},
        transitions: {
          qbft: [
            { block: 2, validatorselectionmode: 'contract', validatorcontractaddress: `0x${'88'.repeat(20)}` },
            { block: 4, validatorselectionmode: 'blockheader', validators: [bytesToHex(addressOf(2))] },
          ],
        },
      },
      1,
    )
    chain.vote(0, 1, true)
    chain.parentCallResult = output(32, 1, addressOf(5))
    chain.add({ proposer: 5 })
    chain.add({ proposer: 5 })
    chain.add({ proposer: 2 })
    expect(validatorsOf(chain)).toEqual([2])
  })
})

describe('new blocks', () => {
  it('get validators, period and digest; vote and round come with the plan', () => {
    const chain = new BftHeaders({ qbft: { blockperiodseconds: 3 } }, 2)
    const { next, head, context } = chain
    const draft = {
      ...chain.child(),
      timestamp: 1n,
      extraData: Uint8Array.of(7),
      mixHash: new Uint8Array(32),
      difficulty: 0n,
    }
    const prepared = next.prepare(draft, head, context)
    expect(prepared).toMatchObject({ difficulty: 1n, timestamp: 1003n, mixHash: chain.child().mixHash })
    expect(chain.verify(prepared, { verifySeal: false })).toBeUndefined()
    expect(next.prepare({ ...prepared }, head, context)).toEqual(prepared)
    const vote = { recipient: addressOf(4), isAdd: true }
    const { extraData } = chain.child({ extra: { vote, round: 3, validators: sortAddresses([addressOf(6)]) } })
    const voting = next.prepare({ ...draft, extraData }, head, context)
    expect(voting.extraData).toEqual(chain.child({ extra: { vote, round: 3 }, sealers: [] }).extraData)
    expect(() => next.prepare({ ...draft, extraData: new Uint8Array(33) }, head, context)).toThrow('invalid extra data')
  })
})
