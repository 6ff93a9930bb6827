import { describe, expect, it } from 'vitest'
import { MAX_BFT_FUTURE_PER_AUTHOR, MAX_BFT_ROUND_MS } from '../../../../../src/base/limits/limits.ts'
import { addBallot, ballotsFrom, ballotsOf } from '../../../../../src/consensus/bft/machine/ballots.ts'
import type {
  HeightPlan,
  MachineEffect,
  MachineEvent,
  ProtocolRules,
  ReceivedMessage,
} from '../../../../../src/consensus/bft/machine/contract.ts'
import {
  addFuture,
  type FutureMessages,
  NO_FUTURE_MESSAGES,
  takeFuture,
} from '../../../../../src/consensus/bft/machine/futureMessages.ts'
import { IBFT2_RULES } from '../../../../../src/consensus/bft/machine/ibft2Rules.ts'
import { initialState, step } from '../../../../../src/consensus/bft/machine/machine.ts'
import { QBFT_RULES } from '../../../../../src/consensus/bft/machine/qbftRules.ts'
import { proposerOf } from '../../../../../src/consensus/bft/proposer.ts'
import {
  AbstractBlocks,
  addressOf,
  type Draft,
  identity,
  indexOf,
  withRound,
} from '../../../../simulation/bft/abstractBlocks.ts'
import { fixedSets } from '../../../../simulation/bft/abstractSets.ts'

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
    leastTimestamp: START_MS / 1000 + 1,
    dueMs: START_MS + 1000,
    emptyDueMs: START_MS + 1000,
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

function received(height: number, bytes = 1, author = 1): ReceivedMessage {
  const digest = new Uint8Array(32)
  const signed = identity(author).sign({ kind: 'prepare', height, round: 0, digest } as const)
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
  const plan = planOf(QBFT_RULES, { emptyDueMs: START_MS + 5000 })

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
      [START_MS + 2000, roundChange(0, 1, 'ibft2')],
      [START_MS + 2000, roundChange(2, 1, 'ibft2')],
      [START_MS + 6000, { kind: 'roundTimer', height: 1, round: 1 }],
      [START_MS + 6000, { kind: 'roundTimer', height: 1, round: 1 }],
    ])
    expect(kinds(effects[1])).toEqual(['remember', 'setRoundTimer', 'send'])
    expect(effects[1]?.[1]).toMatchObject({ round: 1, delayMs: 4000 })
    expect(effects[4]?.[1]).toMatchObject({ round: 2, delayMs: 8000 })
    expect(effects[5]).toEqual([])
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

const roundChange = (author: number, round: number, protocol: 'ibft2' | 'qbft' = 'qbft'): MachineEvent => {
  const signed = identity(author).sign({ kind: 'roundChange', height: 1, round, prepared: undefined } as const)
  const message = { kind: 'roundChange', signed, block: undefined, prepares: [] } as const
  return { kind: 'message', received: { protocol, message, encoded: new Uint8Array(1), from: `${author}` } }
}

describe('validators that have lost each other', () => {
  const begin = { kind: 'newHead', plan: planOf(QBFT_RULES) } as const

  it('follow f + 1 round changes, to the highest round that as many have reached', () => {
    const effects = run(3, [
      [START_MS, begin],
      [START_MS, roundChange(0, 12)],
      [START_MS, roundChange(1, 15)],
      [START_MS, roundChange(2, 15)],
    ])
    expect(kinds(effects[1])).toEqual(['gossip'])
    expect(kinds(effects[2])).toEqual(['remember', 'setRoundTimer', 'send', 'gossip'])
    expect(effects[2]?.[1]).toMatchObject({ round: 12, delayMs: MAX_BFT_ROUND_MS })
    expect(effects[2]?.[2]).toMatchObject({ message: { kind: 'roundChange', signed: { payload: { round: 12 } } } })
    // Round 15 has its f + 1 now, and with this node its quorum; its proposer is this node.
    expect(kinds(effects[3])).toEqual(['remember', 'setRoundTimer', 'send', 'build', 'gossip'])
  })

  it('send their newest messages again: to one that connects, and at intervals to all', () => {
    const effects = run(1, [
      [START_MS, { kind: 'newHead', plan: planOf(IBFT2_RULES) }],
      [START_MS, { kind: 'repeat', validator: undefined }],
      [START_MS + 2000, { kind: 'roundTimer', height: 1, round: 0 }],
      [START_MS + 7000, { kind: 'repeat', validator: addressOf(2) }],
      [START_MS + 7000, { kind: 'repeat', validator: undefined }],
    ])
    expect(effects[1]).toEqual([])
    const newest = { kind: 'roundChange', signed: { payload: { round: 1 } } }
    expect(effects[3]).toMatchObject([{ kind: 'send', message: newest, validators: [addressOf(2)] }])
    expect(effects[4]).toMatchObject([{ kind: 'send', message: newest, validators: VALIDATORS }])
  })

  it('stay in a round until a quorum has reached it or a later one', () => {
    const expired = { kind: 'roundTimer', height: 1, round: 1 } as const
    const effects = run(1, [
      [START_MS, { kind: 'newHead', plan: planOf(IBFT2_RULES) }],
      [START_MS + 2000, { kind: 'roundTimer', height: 1, round: 0 }],
      [START_MS + 6000, expired],
      [START_MS + 7000, roundChange(0, 1, 'ibft2')],
      [START_MS + 10_000, expired],
      [START_MS + 11_000, roundChange(2, 5, 'ibft2')],
      [START_MS + 14_000, expired],
    ])
    const waiting = { kind: 'setRoundTimer', height: 1, round: 1, delayMs: 4000 }
    expect([effects[2], effects[4]]).toEqual([[waiting], [waiting]])
    expect(kinds(effects[6])).toEqual(['remember', 'setRoundTimer', 'send'])
    expect(effects[6]?.[1]).toMatchObject({ round: 2 })
  })

  it('wait no longer than the cap, or the request timeout if that is longer', () => {
    const timers = (requestTimeoutMs: number): unknown[] => {
      const events = Array.from({ length: 40 }, (_, round): readonly [number, MachineEvent] => [
        START_MS,
        { kind: 'roundTimer', height: 1, round },
      ])
      const first = [START_MS, { kind: 'newHead', plan: planOf(IBFT2_RULES, { requestTimeoutMs, quorum: 1 }) }] as const
      return run(1, [first, ...events]).flatMap((effects) =>
        effects.flatMap((effect) => (effect.kind === 'setRoundTimer' ? [effect.delayMs] : [])),
      )
    }
    expect(timers(10_000).slice(0, 5)).toEqual([10_000, 20_000, 40_000, 60_000, 60_000])
    expect(timers(90_000).slice(-2)).toEqual([90_000, 90_000])
  })
})

function openBlocks(): AbstractBlocks {
  const { first, rule } = fixedSets(4)
  return new AbstractBlocks(first, rule)
}

function draftOf(isValid: boolean): Draft {
  return { parent: 0, timestamp: 11, isValid, vote: undefined }
}

describe('a block that is proposed again', () => {
  it('is verified before it is signed; the own copy is taken if there is one', () => {
    const blocks = openBlocks()
    const block = blocks.create(draftOf(true), 0, addressOf(0))
    const view = { height: 1, round: 0, digest: block.digest }
    const prepares = [0, 1, 2].map((i) => identity(i).sign({ kind: 'prepare', ...view } as const))
    const claim = (author: number): MachineEvent => {
      const prepared = { round: 0, digest: block.digest, certificate: undefined }
      const signed = identity(author).sign({ kind: 'roundChange', height: 1, round: 1, prepared } as const)
      const message = { kind: 'roundChange', signed, block, prepares } as const
      return { kind: 'message', received: { protocol: 'qbft', message, encoded: new Uint8Array(1), from: `${author}` } }
    }
    const verified = (problem: string | undefined): MachineEvent => ({ kind: 'verified', height: 1, round: 1, problem })
    const events = (problem: string | undefined): (readonly [number, MachineEvent])[] => [
      [START_MS, { kind: 'newHead', plan: planOf(QBFT_RULES) }],
      [START_MS, roundChange(2, 1)],
      [START_MS, claim(0)],
      [START_MS, verified(problem)],
    ]
    const proposed = run(1, events(undefined))
    expect(kinds(proposed[2])).toEqual(['remember', 'setRoundTimer', 'send', 'verify', 'gossip'])
    expect(proposed[2]?.[3]).toMatchObject({ block: withRound(block, 1) })
    expect(kinds(proposed[3])).toEqual(['remember', 'send', 'send'])
    expect(proposed[3]?.[1]).toMatchObject({ message: { kind: 'proposal' } })
    expect(run(1, events('bad block'))[3]).toMatchObject([{ kind: 'refused', reason: 'bad block' }])
  })

  it('leaves its place when it is invalid, a few times', () => {
    const blocks = openBlocks()
    const offer = (): MachineEvent => {
      const content = draftOf(false)
      const block = blocks.create(content, 0, addressOf(0))
      const signed = identity(0).sign({ kind: 'proposal', height: 1, round: 0, digest: block.digest } as const)
      const message = { kind: 'proposal', signed, block, roundChanges: [], prepares: [] } as const
      return { kind: 'message', received: { protocol: 'qbft', message, encoded: new Uint8Array(1), from: 'a' } }
    }
    const bad: MachineEvent = { kind: 'verified', height: 1, round: 0, problem: 'bad block' }
    const events = Array.from({ length: 5 }, () => [offer(), bad]).flat()
    const effects = run(2, [
      [START_MS, { kind: 'newHead', plan: planOf(QBFT_RULES) }],
      ...events.map((event) => [START_MS, event] as const),
    ])
    const verifications = effects.flat().filter(({ kind }) => kind === 'verify')
    expect(verifications).toHaveLength(3)
  })
})

describe('a restart', () => {
  it('starts the last round with the timeout of round 0', () => {
    const signed = identity(1).sign({ kind: 'roundChange', height: 1, round: 9, prepared: undefined } as const)
    const messages = [{ kind: 'roundChange', signed, block: undefined, prepares: [] } as const]
    const machine = { context: identity(1), limits: LIMITS }
    const state = initialState({ height: 1, protocol: 'qbft', messages, lock: undefined })
    const { effects } = step(state, { kind: 'newHead', plan: planOf(QBFT_RULES) }, START_MS, machine)
    expect(effects[1]).toMatchObject({ kind: 'setRoundTimer', round: 9, delayMs: 2000 })
  })

  it('continues in the last round, sends the same messages again and signs nothing else', () => {
    const blocks = openBlocks()
    const content = draftOf(true)
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
    expect(kinds(effects)).toEqual(['verify', 'gossip'])
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
  it('of the author with the most are dropped, the greatest height first', () => {
    const add = (future: FutureMessages, [author, height, bytes]: readonly [number, number, number?]): FutureMessages =>
      addFuture(future, addressOf(author), received(height, bytes, author), LIMITS)
    const heights = (future: FutureMessages): unknown[] =>
      future.map(({ received: { message } }) => [
        indexOf(message.signed.author as Uint8Array),
        message.signed.payload.height,
      ])
    const crowded = (
      [
        [0, 5],
        [1, 9],
        [0, 7],
        [0, 6],
      ] as const
    ).reduce<FutureMessages>(add, NO_FUTURE_MESSAGES)
    expect(heights(crowded)).toEqual([
      [0, 5],
      [1, 9],
      [0, 6],
    ])
    const { due, rest } = takeFuture(crowded, 5)
    expect([due.length, heights(rest)]).toEqual([
      1,
      [
        [1, 9],
        [0, 6],
      ],
    ])
    const large = (
      [
        [0, 5, 600],
        [1, 5, 300],
        [0, 5, 200],
      ] as const
    ).reduce<FutureMessages>(add, NO_FUTURE_MESSAGES)
    expect(heights(large)).toEqual([
      [0, 5],
      [1, 5],
    ])
  })

  it('of one author and height are few', () => {
    const limits = { ...LIMITS, futureMessagesLimit: 1000 }
    let future = NO_FUTURE_MESSAGES
    for (let i = 0; i < 100; i++) future = addFuture(future, addressOf(0), received(5), limits)
    expect(future).toHaveLength(MAX_BFT_FUTURE_PER_AUTHOR)
  })

  it('by validators are kept within the distance and handled when their height begins', () => {
    const effects = run(0, [
      [START_MS, { kind: 'newHead', plan: planOf(QBFT_RULES) }],
      [START_MS, { kind: 'message', received: received(2) }],
      [START_MS, { kind: 'message', received: received(12) }],
      [START_MS, { kind: 'message', received: received(2, 1, 9) }],
      [START_MS, { kind: 'newHead', plan: planOf(QBFT_RULES, { height: 2 }) }],
    ])
    expect(effects[1]).toEqual([{ kind: 'peerHeight', peer: 'peer', height: 1 }])
    expect(effects[2]).toEqual([{ kind: 'peerHeight', peer: 'peer', height: 11 }])
    expect(effects[3]).toEqual([])
    expect(kinds(effects[4])).toEqual(['cancelTimers', 'setBlockTimer', 'gossip'])
  })

  it('are kept while their height is only observed, which begins once', () => {
    const begin = { kind: 'newHead', plan: planOf(QBFT_RULES) } as const
    const effects = run(0, [
      [START_MS, { ...begin, isObserved: true }],
      [START_MS, { kind: 'message', received: received(1) }],
      [START_MS, { ...begin, isObserved: true }],
      [START_MS, begin],
      [START_MS, begin],
    ])
    const begun = ['cancelTimers', 'setBlockTimer', 'gossip']
    expect(effects.map(kinds)).toEqual([['cancelTimers'], [], ['cancelTimers'], begun, []])
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
    expect([ballotsOf(ballots, 29), ballotsOf(ballots, 30)]).toEqual([[], ['flood']])
    expect(ballotsOf(ballotsFrom(ballots, 2), 1)).toEqual([])
  })
})
