import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import type { SignedRecord } from '../../../../src/consensus/bft/machine/contract.ts'
import type { Commit, Prepare, Proposal } from '../../../../src/consensus/bft/messages/payloads.ts'
import { agreementContext, PROTOCOLS } from '../../../../src/sealing/bft/protocols.ts'
import { VoteJournal } from '../../../../src/sealing/bft/voteJournal.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { genesisBlock } from '../../../../src/types/genesisHeader.ts'
import { bftGenesis } from '../../../simulation/bft/bftGenesis.ts'

const protocol = PROTOCOLS.qbft
const signer = new KeySigner(new Uint8Array(32).fill(1))
const context = agreementContext(protocol, signer)
const { genesis } = bftGenesis({ mode: 'qbft', validators: [signer], timestamp: 1 })
const BLOCK = protocol.blocks.of(genesisBlock(genesis, new Uint8Array(32)))

function records(height: number, round: number): { proposal: Proposal; prepare: Prepare; commit: SignedRecord } {
  const block = protocol.blocks.withRound(BLOCK, round)
  const view = { height, round, digest: block.digest }
  const proposed = context.sign({ kind: 'proposal', ...view } as const, block)
  const proposal: Proposal = { kind: 'proposal', signed: proposed, block, roundChanges: [], prepares: [] }
  const prepare: Prepare = { kind: 'prepare', signed: context.sign({ kind: 'prepare', ...view } as const) }
  const seal = context.seal(block.digest)
  const commit: Commit = { kind: 'commit', signed: context.sign({ kind: 'commit', ...view, seal } as const) }
  return { proposal, prepare, commit: { message: commit, lock: { proposal, prepares: [prepare.signed] } } }
}

describe('the journal of votes', () => {
  it('is empty at first', () => {
    expect(new VoteJournal(new MemoryStore()).load()).toBeUndefined()
  })

  it('keeps messages and the newest lock of the newest height', async () => {
    const store = new MemoryStore()
    const journal = new VoteJournal(store)
    const old = records(4, 0)
    await journal.record(4, [{ message: old.proposal, lock: undefined }, old.commit], protocol)
    const first = records(5, 0)
    await journal.record(5, [{ message: first.proposal, lock: undefined }], protocol)
    await journal.record(5, [{ message: first.prepare, lock: undefined }, first.commit], protocol)
    const second = records(5, 1)
    await journal.record(5, [second.commit], protocol)

    const loaded = new VoteJournal(store).load()
    expect(loaded).toMatchObject({ height: 5, protocol: 'qbft' })
    expect(loaded?.messages.map(({ kind, signed }) => [kind, signed.payload.round])).toEqual([
      ['proposal', 0],
      ['prepare', 0],
      ['commit', 0],
      ['commit', 1],
    ])
    expect(loaded?.lock?.proposal.block.digest).toEqual(second.proposal.block.digest)
    expect(loaded?.lock?.prepares.map(({ author }) => author)).toEqual([signer.address])
    for (const { signed } of loaded?.messages ?? []) expect(signed.author).toEqual(signer.address)
  })

  it('deletes the records of an earlier run with the first of a new height', async () => {
    const store = new MemoryStore()
    await new VoteJournal(store).record(4, [records(4, 3).commit], protocol)
    const journal = new VoteJournal(store)
    expect(journal.load()?.height).toBe(4)
    await journal.record(6, [{ message: records(6, 0).prepare, lock: undefined }], protocol)
    const loaded = new VoteJournal(store).load()
    expect([loaded?.height, loaded?.messages.length, loaded?.lock]).toEqual([6, 1, undefined])
  })
})
