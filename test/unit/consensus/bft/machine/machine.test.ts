import { describe, expect, it } from 'vitest'
import { addBallot, ballotsFrom, ballotsOf } from '../../../../../src/consensus/bft/machine/ballots.ts'
import type {
  HeightPlan,
  MachineEffect,
  MachineEvent,
  ProtocolRules,
  ReceivedMessage,
} from '../../../../../src/consensus/bft/machine/contract.ts'
import { addFuture, NO_FUTURE_MESSAGES, takeFuture } from '../../../../../src/consensus/bft/machine/futureMessages.ts'
import { IBFT2_RULES } from '../../../../../src/consensus/bft/machine/ibft2Rules.ts'
import { initialState, step } from '../../../../../src/consensus/bft/machine/machine.ts'
import { QBFT_RULES } from '../../../../../src/consensus/bft/machine/qbftRules.ts'
import { proposerOf } from '../../../../../src/consensus/bft/proposer.ts'
import { AbstractBlocks, addressOf, identity } from '../../../../simulation/bft/abstractBlocks.ts'

const VALIDATORS = [0, 1, 2, 3].map(addressOf)
const LIMITS = { futureMessagesMaxDistance: 10, futureMessagesLimit: 3, futureMessagesBytes: 1000 }
const START_MS = 10_000

function planOf(rules: ProtocolRules, change: Partial<HeightPlan> = {}): HeightPlan {
  return {
    height: 1,
    rules,
    validators: VALIDATORS,
    quorum: 3,
    proposerOf: (round) => proposerOf(VALIDATORS, new Uint8Array(20), round),
    parentTimestamp: START_MS / 1000,
    periodMs: 1000,
    emptyPeriodMs: 1000,
    requestTimeoutMs: 2000,
    ...change,
  }
}

/** Runs events at given times; returns the effects of each. */
function run(index: number, events: readonly (readonly [number, MachineEvent])[]): (readonly MachineEffect[])[] {
  const machine = { context: identity(index), limits: LIMITS }
  let state = initialState(undefined)
  return events.map(([nowMs, event]) => {
    const next = step(state, event, nowMs, machine)
    state = next.state
    return next.effects
  })
}

const kinds = (effects: readonly MachineEffect[] | undefined): string[] => (effects ?? []).map(({ kind }) => kind)

function received(height: number, bytes = 1): ReceivedMessage {
  const digest = new Uint8Array(32)
  const signed = identity(1).sign({ kind: 'prepare', height, round: 0, digest } as const)
  return { protocol: 'qbft', message: { kind: 'prepare', signed }, encoded: new Uint8Array(bytes), from: 'peer' }
}

describe('the start of a height', () => {
  it('IBFT 2.0: round 0 begins at once; only its proposer has a block timer', () => {
    const [proposer] = run(0, [[START_MS, { kind: 'newHead', plan: planOf(IBFT2_RULES) }]])
    expect(kinds(proposer)).toEqual(['cancelTimers', 'setRoundTimer', 'setBlockTimer'])
    expect(proposer?.[2]).toMatchObject({ atMs: START_MS + 1000 })
    const [other] = run(1, [[START_MS, { kind: 'newHead', plan: planOf(IBFT2_RULES) }]])
    expect(kinds(other)).toEqual(['cancelTimers', 'setRoundTimer'])
  })

  it('QBFT: round 0 begins when the block timer expires', () => {
    const expired = { kind: 'blockTimer', height: 1, hasTransactions: false } as const
    const [begun, proposer] = run(0, [
      [START_MS, { kind: 'newHead', plan: planOf(QBFT_RULES) }],
      [START_MS + 1000, expired],
    ])
    expect(kinds(begun)).toEqual(['cancelTimers', 'setBlockTimer'])
    expect(kinds(proposer)).toEqual(['setRoundTimer', 'build'])
    expect(proposer?.[0]).toMatchObject({ round: 0, delayMs: 2000 })
    expect(proposer?.[1]).toMatchObject({ timestamp: START_MS / 1000 + 1 })
  })

  it('a node that is not a validator does nothing', () => {
    const [begun, heard] = run(9, [
      [START_MS, { kind: 'newHead', plan: planOf(QBFT_RULES) }],
      [START_MS, { kind: 'message', received: received(1) }],
    ])
    expect([kinds(begun), kinds(heard)]).toEqual([['cancelTimers'], []])
  })
})

describe('the empty block period', () => {
  const plan = planOf(QBFT_RULES, { emptyPeriodMs: 5000 })

  it('delays a round without transactions, and ends with the first transaction', () => {
    const effects = run(0, [
      [START_MS, { kind: 'newHead', plan }],
      [START_MS + 1000, { kind: 'blockTimer', height: 1, hasTransactions: false }],
      [START_MS + 3000, { kind: 'transactions' }],
    ])
    expect(effects[1]).toEqual([{ kind: 'setBlockTimer', height: 1, atMs: START_MS + 5000 }])
    expect(kinds(effects[2])).toEqual(['setRoundTimer', 'build'])
  })

  it('ends without transactions', () => {
    const effects = run(0, [
      [START_MS, { kind: 'newHead', plan }],
      [START_MS + 5000, { kind: 'blockTimer', height: 1, hasTransactions: false }],
    ])
    expect(kinds(effects[1])).toEqual(['setRoundTimer', 'build'])
  })
})

describe('rounds', () => {
  it('last twice as long each time; the vote for the next one is stored before it is sent', () => {
    const effects = run(1, [
      [START_MS, { kind: 'newHead', plan: planOf(IBFT2_RULES) }],
      [START_MS + 2000, { kind: 'roundTimer', height: 1, round: 0 }],
      [START_MS + 6000, { kind: 'roundTimer', height: 1, round: 1 }],
      [START_MS + 6000, { kind: 'roundTimer', height: 1, round: 1 }],
    ])
    expect(kinds(effects[1])).toEqual(['remember', 'setRoundTimer', 'send'])
    expect(effects[1]?.[1]).toMatchObject({ round: 1, delayMs: 4000 })
    expect(effects[2]?.[1]).toMatchObject({ round: 2, delayMs: 8000 })
    expect(effects[3]).toEqual([])
  })

  it('refuses messages of strangers and of the other protocol', () => {
    const stranger = { ...received(1), message: { kind: 'prepare', signed: strangers() } as const }
    const effects = run(0, [
      [START_MS, { kind: 'newHead', plan: planOf(IBFT2_RULES) }],
      [START_MS, { kind: 'message', received: received(1) }],
      [START_MS, { kind: 'message', received: { ...stranger, protocol: 'ibft2' } }],
    ])
    expect(effects[1]).toMatchObject([{ kind: 'refused', reason: 'the chain uses ibft2' }])
    expect(effects[2]).toMatchObject([{ kind: 'refused', reason: 'the author is not a validator' }])
  })
})

function strangers() {
  return identity(9).sign({ kind: 'prepare', height: 1, round: 0, digest: new Uint8Array(32) } as const)
}

describe('a restart', () => {
  it('continues in the last round, sends the same messages again and signs nothing else', () => {
    const blocks = new AbstractBlocks()
    const content = { height: 1, parent: 0, timestamp: 11, isValid: true }
    const block = blocks.create(content, 0, addressOf(0))
    const other = blocks.create(content, 0, addressOf(0))
    const view = { height: 1, round: 0, digest: block.digest }
    const message = { kind: 'prepare', signed: identity(1).sign({ kind: 'prepare', ...view } as const) } as const
    const machine = { context: identity(1), limits: LIMITS }
    const remembered = { height: 1, protocol: 'qbft', messages: [message], lock: undefined } as const
    let { state, effects } = step(
      initialState(remembered),
      { kind: 'newHead', plan: planOf(QBFT_RULES) },
      START_MS,
      machine,
    )
    expect(kinds(effects)).toEqual(['cancelTimers', 'setRoundTimer', 'send'])
    const signed = identity(0).sign({ kind: 'proposal', height: 1, round: 0, digest: other.digest } as const)
    const proposal = { kind: 'proposal', signed, block: other, roundChanges: [], prepares: [] } as const
    const packet: ReceivedMessage = { protocol: 'qbft', message: proposal, encoded: new Uint8Array(1), from: 'a' }
    ;({ state, effects } = step(state, { kind: 'message', received: packet }, START_MS, machine))
    expect(kinds(effects)).toEqual(['gossip', 'verify'])
    const verified = { kind: 'verified', height: 1, round: 0, problem: undefined } as const
    expect(step(state, verified, START_MS, machine).effects).toEqual([])
  })

  it('signs nothing below the height at which it has signed', () => {
    const machine = { context: identity(0), limits: LIMITS }
    const remembered = { height: 7, protocol: 'qbft', messages: [], lock: undefined } as const
    const first = step(initialState(remembered), { kind: 'newHead', plan: planOf(QBFT_RULES) }, START_MS, machine)
    const expired = { kind: 'blockTimer', height: 1, hasTransactions: true } as const
    expect(kinds(step(first.state, expired, START_MS + 1000, machine).effects)).toEqual(['setRoundTimer'])
  })
})

describe('messages of future heights', () => {
  it('lose the greatest height first, then the oldest', () => {
    const all = [5, 6, 7, 5].reduce((future, height) => addFuture(future, received(height), LIMITS), NO_FUTURE_MESSAGES)
    expect([[...all.byHeight.keys()], all.count, all.bytes]).toEqual([[5, 6], 3, 3])
    const { due, rest } = takeFuture(all, 5)
    expect([due.length, rest.count, rest.bytes]).toEqual([2, 1, 1])
    const [first, second] = [received(5, 600), received(5, 600)]
    const large = [first, second].reduce((future, one) => addFuture(future, one, LIMITS), NO_FUTURE_MESSAGES)
    expect(large.byHeight.get(5)).toEqual([second])
  })

  it('are kept within the distance and handled when their height begins', () => {
    const effects = run(0, [
      [START_MS, { kind: 'message', received: received(1) }],
      [START_MS, { kind: 'message', received: received(11) }],
      [START_MS, { kind: 'newHead', plan: planOf(QBFT_RULES) }],
    ])
    expect(effects[0]).toEqual([{ kind: 'peerHeight', peer: 'peer', height: 0 }])
    expect(kinds(effects[2])).toEqual(['cancelTimers', 'setBlockTimer', 'gossip'])
  })

  it('are kept while their height is only observed, which begins once', () => {
    const begin = { kind: 'newHead', plan: planOf(QBFT_RULES) } as const
    const effects = run(0, [
      [START_MS, { kind: 'message', received: received(1) }],
      [START_MS, { ...begin, isObserved: true }],
      [START_MS, { ...begin, isObserved: true }],
      [START_MS, begin],
      [START_MS, begin],
    ])
    const begun = ['cancelTimers', 'setBlockTimer', 'gossip']
    expect(effects.slice(1).map(kinds)).toEqual([['cancelTimers'], ['cancelTimers'], begun, []])
  })
})

describe('ballots', () => {
  it('count one item per author and round, of a few rounds', () => {
    let ballots: ReturnType<typeof addBallot<string>> = new Map()
    ballots = addBallot(ballots, addressOf(0), 1, 'first')
    ballots = addBallot(ballots, addressOf(0), 1, 'second')
    ballots = addBallot(ballots, addressOf(1), 1, 'other')
    expect(ballotsOf(ballots, 1)).toEqual(['first', 'other'])
    for (let round = 30; round > 1; round--) ballots = addBallot(ballots, addressOf(0), round, 'flood')
    expect(ballotsOf(ballots, 2)).toEqual(['flood'])
    expect(ballotsOf(ballots, 30)).toEqual([])
    expect(ballotsOf(ballotsFrom(ballots, 2), 1)).toEqual([])
  })
})
