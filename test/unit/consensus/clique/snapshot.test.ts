/** The counting of votes, with the scenarios of EIP-225. */
import { describe, expect, it } from 'vitest'
import {
  applyStep,
  type CliqueSnapshot,
  hasSignedRecently,
  isInTurn,
} from '../../../../src/consensus/clique/snapshot.ts'
import { decodeSnapshot, encodeSnapshot } from '../../../../src/consensus/clique/snapshotCodec.ts'

/** One letter per account. */
function account(letter: string): Uint8Array {
  return new Uint8Array(20).fill(letter.charCodeAt(0))
}

function accounts(letters: string): Uint8Array[] {
  return [...letters].map(account)
}

function letters(list: readonly Uint8Array[]): string {
  return list.map(([byte]) => String.fromCharCode(byte as number)).join('')
}

/**
 * Applies blocks: the signer's letter; with a vote `+` or `-` and the subject; with `=` an epoch block that lists the
 * current signers.
 */
function run(signers: string, blocks: string): CliqueSnapshot {
  let snapshot: CliqueSnapshot = { signers: accounts(signers), recent: [], votes: [] }
  for (const block of blocks.split(' ').filter((text) => text !== '')) {
    const [signer, sign, subject] = [...block]
    snapshot = applyStep(snapshot, {
      signer: account(signer as string),
      vote: subject === undefined ? undefined : { subject: account(subject), adds: sign === '+' },
      checkpoint: sign === '=' ? snapshot.signers : undefined,
    })
  }
  return snapshot
}

describe('votes of signers', () => {
  it.each([
    ['one signer, no votes', 'A', 'A', 'A'],
    ['one signer adds two', 'A', 'A+B B A+C', 'AB'],
    ['two signers add three: the third needs a majority of three', 'AB', 'A+C B+C A+D B+D C A+E B+E', 'ABCD'],
    ['one signer removes itself', 'A', 'A-A', ''],
    ['two signers: one vote does not remove the other', 'AB', 'A-B', 'AB'],
    ['two signers: both votes do', 'AB', 'A-B B-B', 'A'],
    ['three signers: two remove the third', 'ABC', 'A-C B-C', 'AB'],
    ['four signers: two are not enough', 'ABCD', 'A-C B-C', 'ABCD'],
    ['four signers: three are', 'ABCD', 'A-D B-D C-D', 'ABC'],
    ['a vote to add counts once per target', 'AB', 'A+C B A+C B A+C', 'AB'],
    ['several additions at a time', 'AB', 'A+C B A+D B A B+D A B+C', 'ABCD'],
    ['a vote to remove counts once per target', 'AB', 'A-B B A-B B A-B', 'AB'],
    ['several removals at a time', 'ABCD', 'A-C B C A-D B C A B-D C-D A B-C', 'AB'],
    ['votes of a removed signer to add are dropped', 'ABC', 'C+D A-C B-C A+D', 'AB'],
    ['votes of a removed signer to remove are dropped', 'ABC', 'C-B A-C B-C A-B', 'AB'],
    ['votes on a removed signer do not count after its return', 'ABC', 'A-C B-C A+C B+C A-C', 'ABC'],
    ['a smaller threshold does not decide other votes', 'ABCD', 'A-C B C A-D B C A B-D C-D A B', 'ABC'],
    ['a decided vote takes effect when it is cast again', 'ABCD', 'A-C B C A-D B C A B-D C-D A C-C B-C', 'AB'],
    ['a vote in the other direction replaces the first', 'ABC', 'A+D A-D B+D', 'ABC'],
    ['an epoch block closes all votes', 'AB', 'A+C B= B+C', 'AB'],
    ['the vote of another account does not count', 'A', 'X+B', 'A'],
    ['a vote to add a signer is ignored, also after its removal', 'ABC', 'A+C A-C B-C B+C', 'AB'],
  ])('%s', (_, signers, blocks, expected) => {
    expect(letters(run(signers, blocks).signers)).toBe(expected)
  })

  it('are closed when their subject has joined or left', () => {
    expect(run('AB', 'A+C B+C').votes).toEqual([])
    expect(run('ABC', 'A-C B-C').votes).toEqual([])
    expect(run('AB', 'A+C B').votes).toEqual([{ voter: account('A'), subject: account('C'), adds: true }])
  })

  it('survive their encoding', () => {
    const snapshot = run('ABCD', 'A+E B-C C= D-B A+F')
    expect(decodeSnapshot(encodeSnapshot(snapshot))).toEqual(snapshot)
    expect(() => decodeSnapshot(Uint8Array.of(0xc1, 0x80))).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }))
  })
})

describe('signers of the last blocks', () => {
  it('may not sign again within floor(n / 2) + 1 blocks', () => {
    const allowed = (signers: string, blocks: string): string =>
      letters(run(signers, '').signers.filter((signer) => !hasSignedRecently(run(signers, blocks), signer)))
    expect(allowed('A', 'A')).toBe('A')
    expect(allowed('AB', 'A')).toBe('B')
    expect(allowed('ABC', 'A B')).toBe('AC')
    expect(allowed('ABCD', 'A B')).toBe('CD')
    expect(allowed('ABCD', 'A B C')).toBe('AD')
    expect(allowed('ABCDE', 'A B= C')).toBe('ADE')
  })

  it('follow the number of signers', () => {
    const recent = (signers: string, blocks: string): string => {
      const snapshot = run(signers, blocks)
      return letters(snapshot.signers.filter((signer) => hasSignedRecently(snapshot, signer)))
    }
    expect(recent('ABC', 'C A+D B+D')).toBe('AB')
    expect(recent('ABCD', 'A-D B-D C-D')).toBe('C')
  })

  it('are in turn by block number', () => {
    const snapshot = run('ABC', '')
    expect(
      [6n, 7n, 8n].map((number) => letters(snapshot.signers.filter((s) => isInTurn(snapshot, number, s)))),
    ).toEqual(['A', 'B', 'C'])
    expect(isInTurn(run('A', 'A-A'), 5n, account('A'))).toBe(false)
  })
})
