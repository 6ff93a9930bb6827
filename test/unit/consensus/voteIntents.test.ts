import { describe, expect, it } from 'vitest'
import { ValidatorReader } from '../../../src/consensus/bft/validatorReader.ts'
import { isUsefulVote } from '../../../src/consensus/bft/votes.ts'
import { VoteIntents } from '../../../src/consensus/voteIntents.ts'
import { nextVote } from '../../../src/node/bft.ts'
import { addressOf } from '../../support/chains/bftHeaders.ts'
import { bftGenesis, importOnHead, openBftNode } from '../../support/nodes/bftNode.ts'

const tallyOf = (validators: number[], votes: [voter: number, recipient: number, isAdd: boolean][] = []) => ({
  validators: validators.map(addressOf),
  votes: votes.map(([voter, recipient, isAdd]) => ({
    voter: addressOf(voter),
    recipient: addressOf(recipient),
    isAdd,
  })),
})

describe('proposed votes', () => {
  it('take turns while they have an effect', () => {
    const votes = new VoteIntents()
    const next = (...args: Parameters<typeof tallyOf>) =>
      votes.next((vote) => isUsefulVote(tallyOf(...args), vote, addressOf(0)))?.recipient
    expect(next([0, 1])).toBeUndefined()
    votes.propose(addressOf(1), true)
    votes.propose(addressOf(5), false)
    expect(next([0, 1])).toBeUndefined()
    votes.propose(addressOf(2), true)
    votes.propose(addressOf(1), false)
    expect([next([0, 1]), next([0, 1])].sort()).toEqual([addressOf(1), addressOf(2)].sort())
    expect(next([0, 1], [[0, 2, true]])).toEqual(addressOf(1))
    expect(
      next(
        [0, 1],
        [
          [1, 2, true],
          [0, 1, false],
        ],
      ),
    ).toEqual(addressOf(2))
    expect(next([0, 1, 2], [[0, 2, false]])).toBeDefined()
    votes.discard(addressOf(1))
    expect(next([0, 1, 2], [[0, 2, false]])).toEqual(addressOf(2))
    expect(next([0, 1, 2])).toBeUndefined()
  })

  it('are not cast again once they are fulfilled, unless they are proposed again', () => {
    const votes = new VoteIntents()
    const next = () => votes.next((vote) => isUsefulVote(tallyOf([0, 1]), vote, addressOf(0)))?.recipient
    votes.propose(addressOf(2), true)
    expect([votes.fulfil(addressOf(2), false), next()]).toEqual([false, addressOf(2)])
    expect([votes.fulfil(addressOf(2), true), next()]).toEqual([true, undefined])
    expect(votes.list).toEqual([{ recipient: addressOf(2), isAdd: true }])
    votes.propose(addressOf(2), true)
    expect(next()).toEqual(addressOf(2))
  })

  it('are not cast in epoch blocks', async () => {
    const { node } = await openBftNode(bftGenesis({ qbft: { epochlength: 2 } }, 1))
    const { chain, consensus } = node
    const execution = { config: chain.config, evm: undefined as never, consensus, control: {} }
    const source = { at: () => undefined, mutable: () => undefined }
    const reader = new ValidatorReader({ chain, states: source, execution })
    const votes = new VoteIntents()
    const next = () => nextVote(chain.head, votes, reader, addressOf(0))
    expect(next()).toBeUndefined()
    votes.propose(addressOf(1), true)
    expect(next()).toEqual({ recipient: addressOf(1), isAdd: true })
    await importOnHead(chain, 0, [0])
    expect(next()).toBeUndefined()
    await importOnHead(chain, 0, [0])
    expect(next()).toEqual({ recipient: addressOf(1), isAdd: true })
  })

  it('are not cast where a contract lists the validators', async () => {
    const { node } = await openBftNode(bftGenesis({ qbft: { validatorcontractaddress: `0x${'88'.repeat(20)}` } }, 0))
    const { chain, consensus } = node
    const execution = { config: chain.config, evm: undefined as never, consensus, control: {} }
    const reader = new ValidatorReader({ chain, states: { at: () => undefined, mutable: () => undefined }, execution })
    const votes = new VoteIntents()
    votes.propose(addressOf(1), true)
    expect(nextVote(chain.head, votes, reader, addressOf(0))).toBeUndefined()
  })
})
