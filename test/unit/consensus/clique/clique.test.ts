// slow: many signatures
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../../src/base/primitives/keccak.ts'
import { CliqueEngine } from '../../../../src/consensus/clique/clique.ts'
import { encodeExtraData, parseExtraData, replaceSeal } from '../../../../src/consensus/clique/extraData.ts'
import { cliqueSealHash, SealReader } from '../../../../src/consensus/clique/seal.ts'
import { hasSignedRecently, includesAddress } from '../../../../src/consensus/clique/snapshot.ts'
import { CliqueSnapshots } from '../../../../src/consensus/clique/snapshots.ts'
import type { Header } from '../../../../src/types/block.ts'
import { hashHeader } from '../../../../src/types/headerCodec.ts'
import {
  addressesOf,
  EPOCH,
  type HeaderChain,
  headerChain,
  PERIOD,
  SIGNERS,
} from '../../../support/chains/cliqueHeaders.ts'

const [ANN, BEN, CLEO, DAN, EVE] = SIGNERS as [
  (typeof SIGNERS)[0],
  (typeof SIGNERS)[0],
  (typeof SIGNERS)[0],
  (typeof SIGNERS)[0],
  (typeof SIGNERS)[0],
]
const ADD = new Uint8Array(8).fill(0xff)

/** Block 30000 of Rinkeby. */
const RINKEBY: Header = {
  parentHash: hexToBytes('0xff570bb9893cb9bac64e346419fb9ad51e203c1cf6da5cfcc0c0dff3351b454b'),
  ommersHash: EMPTY_LIST_HASH,
  beneficiary: new Uint8Array(20),
  stateRoot: hexToBytes('0x829b58faacea7b0aa625617ba90c93e08150bed160364a7a96505e8205043d34'),
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 2n,
  number: 30_000n,
  gasLimit: 4_712_388n,
  gasUsed: 0n,
  timestamp: 1_492_460_444n,
  extraData: hexToBytes(
    '0xd783010600846765746887676f312e372e33856c696e7578000000000000000042eb768f2244c8811c63729a21a35697315' +
      '35f067ffc57839b00206d1ad20c69a1981b489f772031b279182d99e65703f0076e4812653aab85fca0f0c5bc40d0535af162' +
      '66714ccb26fc49448c10bdf2969411514707d7442956b3397b09a980f4bea9347f70eea52183326247a0239b6d01fa0b07afc' +
      '44e8a05463301',
  ),
  mixHash: new Uint8Array(32),
  nonce: new Uint8Array(8),
}

/** A chain of three signers with `count` valid blocks. */
function grown(count: number): HeaderChain {
  const chain = headerChain([ANN, BEN, CLEO])
  for (let number = 1; number <= count; number++) {
    const header = chain.next([ANN, BEN, CLEO][number % 3] as (typeof SIGNERS)[0])
    expect(chain.engine.verifyHeader(header, chain.head, chain.context())).toBeUndefined()
    chain.add(header)
  }
  return chain
}

describe('hashes and seals of Clique', () => {
  it('agree with a block of Rinkeby', () => {
    expect(bytesToHex(cliqueSealHash(RINKEBY))).toBe(
      '0x89cb211c2d7a21ef8d7af39625fb047547ab7ecfee5467f3548946eca3c0ac3b',
    )
    const engine = new CliqueEngine({ periodSeconds: 15, createsEmptyBlocks: true }, new CliqueSnapshots(30_000))
    expect(bytesToHex(engine.hash(RINKEBY))).toBe('0x8b27a29300811af926039b90288d3d384dcb55931049c17c4f762e45c116776e')
    expect(bytesToHex(engine.author(RINKEBY))).toBe('0x42eb768f2244c8811c63729a21a3569731535f06')
    expect(parseExtraData(RINKEBY.extraData).signers).toHaveLength(3)
  })

  it('include the base fee of London', () => {
    const hash = cliqueSealHash({ ...RINKEBY, baseFeePerGas: 7n })
    expect(hash).not.toEqual(cliqueSealHash(RINKEBY))
    expect(hash).not.toEqual(cliqueSealHash({ ...RINKEBY, baseFeePerGas: 8n }))
  })

  it.each([
    ['no seal', new Uint8Array(65)],
    ['v of 27', concatBytes(RINKEBY.extraData.slice(-65, -1), Uint8Array.of(27))],
    ['r and s of zero', concatBytes(new Uint8Array(64), Uint8Array.of(1))],
    ['r and s above the order', new Uint8Array(65).fill(0xff, 0, 64)],
  ])('name no signer: %s', (_, seal) => {
    expect(new SealReader().signerOf({ ...RINKEBY, extraData: replaceSeal(RINKEBY.extraData, seal) })).toBeUndefined()
  })

  it('name no author of the genesis block', () => {
    const { engine, head } = headerChain([ANN])
    expect(engine.author(head)).toEqual(new Uint8Array(20))
  })

  it.each([
    ['short', Uint8Array.of(1, 2), `${'00'.repeat(30)}0102`],
    ['long', new Uint8Array(40).fill(5), '05'.repeat(32)],
  ])('pad or cut a vanity that is too %s', (_, vanity, expected) => {
    const bytes = encodeExtraData(vanity, [ANN.address])
    expect(bytesToHex(bytes)).toBe(`0x${expected}${bytesToHex(ANN.address).slice(2)}${'00'.repeat(65)}`)
  })
})

describe('headers of Clique', () => {
  const refused: readonly (readonly [string, number, Partial<Header>, RegExp])[] = [
    ['ommers', 1, { ommersHash: new Uint8Array(32) }, /^invalid ommers hash/],
    ['a mix hash', 1, { mixHash: new Uint8Array(32).fill(1) }, /^invalid mix hash/],
    ['another nonce', 1, { nonce: new Uint8Array(8).fill(1) }, /^invalid nonce: 0x0101/],
    ['difficulty 0', 1, { difficulty: 0n }, /^invalid difficulty: 0, must be 2 or 1/],
    ['difficulty 3', 1, { difficulty: 3n }, /^invalid difficulty: 3, must be 2 or 1/],
    ['the difficulty of another turn', 1, { difficulty: 1n }, /^invalid difficulty: 1, must be 2 for the signer/],
    ['no extra data', 1, { extraData: new Uint8Array(0) }, /^invalid extra data: 0 bytes, the minimum is 97/],
    ['short extra data', 1, { extraData: new Uint8Array(96) }, /^invalid extra data: 96 bytes/],
    ['half a signer', 1, { extraData: new Uint8Array(107) }, /^invalid extra data: 10 bytes between/],
    [
      'a list of signers',
      1,
      { extraData: encodeExtraData(new Uint8Array(0), [ANN.address]) },
      /^invalid extra data: 1 signers, only epoch blocks/,
    ],
    ['a timestamp within the period', 1, { timestamp: 1_700_000_000n + 9n }, /^invalid timestamp: 1700000009, must be/],
    ['an epoch block with a vote', 8, { beneficiary: EVE.address, nonce: ADD }, /^invalid beneficiary/],
    [
      'an epoch block without signers',
      8,
      { extraData: encodeExtraData(new Uint8Array(0), []) },
      /^invalid extra data: the epoch block lists none, the signers are 0x/,
    ],
    [
      'an epoch block with another order of signers',
      8,
      { extraData: encodeExtraData(new Uint8Array(0), addressesOf([BEN, ANN, CLEO])) },
      /^invalid extra data: the epoch block lists/,
    ],
    [
      'an epoch block with another signer',
      8,
      { extraData: encodeExtraData(new Uint8Array(0), addressesOf([ANN, BEN, EVE])) },
      /^invalid extra data: the epoch block lists/,
    ],
  ]

  it.each(refused)('refused: %s', (_, number, change, reason) => {
    const chain = grown(number === 1 ? 1 : number - 1)
    const signer = [ANN, BEN, CLEO][Number(chain.head.number + 1n) % 3] as (typeof SIGNERS)[0]
    const header = chain.next(signer, change)
    expect(chain.engine.verifyHeader(header, chain.head, chain.context())).toMatch(reason)
    expect(chain.engine.verifyHeader(chain.next(signer), chain.head, chain.context())).toBeUndefined()
  })

  it('refused: a signer outside the set, a recent signer, a broken seal', () => {
    const chain = grown(2)
    const verify = (header: Header) => chain.engine.verifyHeader(header, chain.head, chain.context())
    expect(verify(chain.next(DAN))).toBe(`invalid seal: ${bytesToHex(DAN.address)} is not a signer`)
    expect(verify(chain.next(CLEO))).toBe(`invalid seal: ${bytesToHex(CLEO.address)} has signed too recently`)
    const header = chain.next(ANN)
    expect(verify(header)).toBeUndefined()
    expect(verify({ ...header, extraData: replaceSeal(header.extraData, new Uint8Array(65)) })).toBe(
      'invalid seal: no signer can be recovered from it',
    )
    expect(verify({ ...header, gasUsed: 1n })).toMatch(
      /^invalid seal: 0x[0-9a-f]{40} is not a signer|^invalid seal: no/,
    )
  })

  it('are checked without their seal on request', () => {
    const chain = grown(2)
    const header = chain.next(DAN)
    expect(chain.engine.verifyHeader(header, chain.head, chain.context({ verifySeal: false }))).toBeUndefined()
  })

  it('may be 10 seconds ahead of the clock', () => {
    const { engine, head } = headerChain([ANN])
    const nowMs = Number(head.timestamp) * 1000
    expect(engine.arrival({ ...head, timestamp: head.timestamp + 10n }, nowMs)).toBe('now')
    expect(engine.arrival({ ...head, timestamp: head.timestamp + 11n }, nowMs + 999)).toBe('future')
  })

  it('follow the votes of the blocks below', () => {
    const chain = headerChain([ANN, BEN])
    const vote = (signer: typeof ANN, subject: Uint8Array, nonce: Uint8Array): void => {
      const header = chain.next(signer, { beneficiary: subject, nonce })
      expect(chain.engine.verifyHeader(header, chain.head, chain.context())).toBeUndefined()
      chain.add(header)
    }
    vote(BEN, DAN.address, ADD)
    expect(chain.engine.verifyHeader(chain.next(DAN), chain.head, chain.context())).toMatch(/is not a signer$/)
    vote(ANN, DAN.address, ADD)
    vote(DAN, BEN.address, new Uint8Array(8))
    vote(ANN, BEN.address, new Uint8Array(8))
    expect(chain.engine.verifyHeader(chain.next(BEN), chain.head, chain.context())).toMatch(/is not a signer$/)
    while (chain.head.number < EPOCH) vote(chain.head.number % 2n === 0n ? DAN : ANN, new Uint8Array(20), ADD)
    expect(parseExtraData(chain.head.extraData).signers).toEqual(addressesOf([ANN, DAN]))
  })
})

describe('the set of signers', () => {
  it('is the same from headers alone as from the store', () => {
    const chain = headerChain([ANN, BEN, CLEO], 1000)
    for (let number = 1; number <= 100; number++) {
      const subject = number % 7 === 3 ? DAN : number % 11 === 5 ? EVE : undefined
      const change = subject === undefined ? {} : { beneficiary: subject.address, nonce: ADD }
      const snapshot = chain.engine.snapshotAfter(hashHeader(chain.head), chain.context())
      const signer = SIGNERS.find(
        ({ address }) => includesAddress(snapshot.signers, address) && !hasSignedRecently(snapshot, address),
      )
      chain.add(chain.next(signer as typeof ANN, change))
    }
    const hash = hashHeader(chain.head)
    const context = chain.context()
    const known = chain.engine.snapshotAfter(hash, context)
    expect(known.signers).toHaveLength(5)
    const settings = { periodSeconds: PERIOD, createsEmptyBlocks: true }
    const fresh = new CliqueEngine(settings, new CliqueSnapshots(1000))
    expect(fresh.snapshotAfter(hash, { ...context, store: { get: () => undefined } })).toEqual(known)
    let reads = 0
    const headers = {
      headerByHash: (wanted: Uint8Array) => {
        reads++
        return context.headers.headerByHash(wanted)
      },
    }
    const reopened = new CliqueEngine(settings, new CliqueSnapshots(1000))
    expect(reopened.snapshotAfter(hash, { headers, store: context.store })).toEqual(known)
    expect(reads).toBeLessThanOrEqual(64)
  })

  it('of another branch is independent', () => {
    const chain = grown(3)
    const fork = chain.head
    const left = chain.add(chain.next(BEN, { beneficiary: DAN.address, nonce: ADD }))
    const leftVotes = chain.engine.snapshotAfter(hashHeader(left), chain.context()).votes
    chain.add(fork)
    const right = chain.add(chain.next(BEN))
    expect(leftVotes).toHaveLength(1)
    expect(chain.engine.snapshotAfter(hashHeader(right), chain.context()).votes).toEqual([])
  })

  it('cannot be read below a missing block or from a damaged list', () => {
    const chain = grown(2)
    const missing = { headers: { headerByHash: () => undefined }, store: { get: () => undefined } }
    const { engine } = headerChain([ANN])
    expect(() => engine.snapshotAfter(hashHeader(chain.head), missing)).toThrow(
      expect.objectContaining({ code: 'STORE_DAMAGED' }),
    )
    const genesis = { ...headerChain([ANN]).head, extraData: new Uint8Array(32) }
    const headers = { headerByHash: () => genesis }
    expect(() => engine.snapshotAfter(hashHeader(genesis), { ...missing, headers })).toThrow(
      expect.objectContaining({ code: 'INVALID_CLIQUE_CHECKPOINT' }),
    )
  })
})

describe('blocks of equal total difficulty', () => {
  it('are decided by number, turn and hash', () => {
    const chain = grown(3)
    const parent = chain.head
    const rival = (signer: typeof ANN) => {
      chain.add(parent)
      const header = chain.add(chain.next(signer, { gasUsed: 0n }))
      return { header, hash: hashHeader(header) }
    }
    const reads = chain.context()
    const prefers = (candidate: ReturnType<typeof rival>, head: ReturnType<typeof rival>) =>
      chain.engine.prefers({ candidate, head, headers: reads.headers, store: reads.store })
    // Block 4 is the turn of the second signer; the first had its turn one block ago, the third two blocks ago.
    const [first, third] = [rival(ANN), rival(CLEO)]
    expect(prefers(first, third)).toBe(true)
    expect(prefers(third, first)).toBe(false)
    const short = { header: parent, hash: hashHeader(parent) }
    expect(prefers(short, third)).toBe(true)
    const low = { ...third, hash: new Uint8Array(32) }
    expect([prefers(low, third), prefers(third, low)]).toEqual([true, false])
  })
})
