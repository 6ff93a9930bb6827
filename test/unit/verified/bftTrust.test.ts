import { describe, expect, it } from 'vitest'
import type { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { QBFT } from '../../../src/consensus/bft/flavour.ts'
import { bftBlockHash } from '../../../src/consensus/bft/hashes.ts'
import type { Header } from '../../../src/types/block.ts'
import { genesisHeader } from '../../../src/types/genesisHeader.ts'
import {
  blockJson,
  type Change,
  ChangingValidators,
  hashOf,
  sealed,
  signerOf,
} from '../../support/chains/changingValidators.ts'
import { NodeTransport } from '../../support/remote/nodeTransport.ts'
import { openVerified } from '../../support/remote/verified.ts'

void bftBlockHash
void QBFT
void genesisHeader

const GENESIS = {
  config: {
    chainId: 1337,
    qbft: { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 4 },
    berlinBlock: 0,
  },
  alloc: {},
}

/** One validator joins or leaves with each change. */
function changes(count: number, length: number, size = 4): Change[] {
  const signers = Array.from({ length: size + count }, (_, i) => signerOf(i + 1))
  const list: Change[] = [{ number: 0, validators: signers.slice(0, size) }]
  for (let i = 1; i <= count; i++) {
    const first = Math.ceil(i / 2)
    list.push({
      number: Math.floor((i * length) / (count + 1)),
      validators: signers.slice(first, first + size + (i & 1 ? -1 : 0)),
    })
  }
  return list
}

function remoteOf(header: (number: number) => Header | undefined, head: () => number): NodeTransport {
  const known = new Map<string, number>()
  return new NodeTransport(async (method, reference) => {
    if (method !== 'eth_getBlockByNumber' && method !== 'eth_getBlockByHash') throw new Error('not known')
    const number =
      reference === 'latest'
        ? head()
        : method === 'eth_getBlockByHash'
          ? (known.get(reference as string) ?? 0)
          : Number(reference)
    const found = header(number)
    if (found === undefined) return null
    known.set(hashOf(found), number)
    return blockJson(found)
  })
}

describe('a checkpoint of QBFT', () => {
  it('leads over 10,000 blocks and 40 changes of validators in at most 60 headers', async () => {
    const chain = new ChangingValidators(10_000, changes(40, 10_000))
    const transport = remoteOf(
      (number) => chain.header(number),
      () => 10_000,
    )
    const provider = await openVerified(transport, {
      genesis: GENESIS,
      trust: { checkpoint: hashOf(chain.headers[0] as Header) },
    })
    expect(await provider.head()).toEqual({ number: 10_000, hash: hashOf(chain.headers[10_000] as Header) })
    expect(transport.methods.length).toBeLessThanOrEqual(60)
    await provider.close()
  })
})

void sealed
void (0 as unknown as KeySigner)
