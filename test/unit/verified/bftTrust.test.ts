import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { Header } from '../../../src/types/block.ts'
import type { VerifiedProvider } from '../../../src/verified/contract.ts'
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
import { atEndOfFile } from '../../support/rpc/endOfFile.ts'

const GENESIS = {
  config: { chainId: 1337, berlinBlock: 0, qbft: { blockperiodseconds: 1, epochlength: 1_000_000 } },
  difficulty: '0x1',
  gasLimit: '0x989680',
  extraData: '0x',
  alloc: {},
}
const LENGTH = 10_000

const providers: VerifiedProvider[] = []
atEndOfFile(async () => {
  for (const provider of providers) await provider.close()
})

/** One validator joins with each odd change, and another one leaves with each even one. */
function changes(count: number, size = 4): Change[] {
  const signers = Array.from({ length: size + count }, (_, i) => signerOf(i + 1))
  return Array.from({ length: count + 1 }, (_, i) => ({
    number: Math.floor((i * LENGTH) / (count + 1)),
    validators: signers.slice(Math.floor(i / 2), size + Math.ceil(i / 2)),
  }))
}

/**
 * @param header those that the remote shows
 * @param checkpoint number of the only block that is asked for by its hash
 */
function remoteOf(header: (number: number) => Header | undefined, head: number, checkpoint = 0): NodeTransport {
  return new NodeTransport(async (method, reference) => {
    const isByHash = method === 'eth_getBlockByHash'
    const number = isByHash ? checkpoint : reference === 'latest' ? head : Number(reference)
    const found = header(number)
    return found === undefined ? null : blockJson(found)
  })
}

async function follow(transport: NodeTransport, checkpoint: Header, config: object = {}): Promise<VerifiedProvider> {
  const genesis = { ...GENESIS, config: { ...GENESIS.config, ...config } }
  const provider = await openVerified(transport, { genesis, trust: { checkpoint: hashOf(checkpoint) } })
  providers.push(provider)
  return provider
}

const chain = new ChangingValidators(LENGTH, changes(40))
const at = (number: number): Header => chain.header(number) as Header
const honest = (number: number): Header | undefined => chain.header(number)
const [genesis, last] = [at(0), at(LENGTH)]

describe('a checkpoint of QBFT', () => {
  it('leads over 10,000 blocks and 40 changes of validators in at most 60 headers', async () => {
    const transport = remoteOf(honest, LENGTH)
    const provider = await follow(transport, genesis)
    expect(await provider.head()).toEqual({ number: LENGTH, hash: hashOf(last) })
    expect(transport.methods.length).toBeLessThanOrEqual(60)
  })

  it('leads to the head from a later block as well', async () => {
    const transport = remoteOf(honest, LENGTH, 9_990)
    const provider = await follow(transport, at(9_990))
    expect(await provider.head()).toEqual({ number: LENGTH, hash: hashOf(last) })
    expect(transport.methods).toEqual(['eth_getBlockByHash', 'eth_getBlockByNumber'])
  })

  it('refuses a branch of validators that left before it', async () => {
    const old = chain.validatorsAt(0)
    const checkpoint = at(9_000)
    const forged = [checkpoint]
    for (let i = 1; i <= 60; i++) forged.push(sealed(forged[i - 1] as Header, old))
    const transport = remoteOf((number) => forged[number - 9_000], 9_060, 9_000)
    const provider = await follow(transport, checkpoint)
    await expect(provider.head()).rejects.toMatchObject({
      code: 'HEAD_UNTRUSTED',
      message: 'block 9001 is not trusted: too few validators of block 9000 sealed it',
    })
  })

  it('refuses a head with too few seals, with those of others, or twice the same', async () => {
    const validators = chain.validatorsAt(LENGTH)
    const parent = at(LENGTH - 1)
    const stranger = signerOf(999)
    for (const [sealers, reason] of [
      [validators.slice(0, 2), /2 of its 4 validators sealed it, 3 must/],
      [[], /0 of its 4 validators sealed it/],
      [[...validators.slice(0, 2), stranger], new RegExp(`${bytesToHex(stranger.address)} is not a validator`)],
      [[...validators.slice(0, 2), validators[0] as typeof stranger], /has sealed twice/],
    ] as const) {
      const head = sealed(parent, validators, sealers)
      const provider = await follow(
        remoteOf((number) => (number === LENGTH ? head : honest(number)), LENGTH),
        genesis,
      )
      await expect(provider.head(), `${reason}`).rejects.toThrow(reason)
    }
  })

  it('refuses a header that is not that of its hash, and a next block on another parent', async () => {
    const transport = remoteOf(honest, LENGTH)
    transport.lie = (_, __, result) => ({ ...(result as object), stateRoot: `0x${'1'.repeat(64)}` })
    const provider = await follow(transport, genesis)
    await expect(provider.head()).rejects.toMatchObject({ code: 'PROOF_INVALID' })
    const other = sealed(at(1), chain.validatorsAt(0), chain.validatorsAt(0), { number: 1n })
    const next = await follow(
      remoteOf((number) => (number === 1 ? other : honest(number)), 1),
      genesis,
    )
    await expect(next.head()).rejects.toThrow(/its parent is another block/)
  })

  it('refuses another block at a number that was trusted before', async () => {
    let isOther = false
    const other = sealed(at(LENGTH - 1), chain.validatorsAt(LENGTH), undefined, { gasUsed: 5n })
    const transport = remoteOf((number) => (number === LENGTH && isOther ? other : honest(number)), LENGTH)
    let now = 0
    const genesisFile = GENESIS
    const provider = await openVerified(
      transport,
      { genesis: genesisFile, trust: { checkpoint: hashOf(genesis) } },
      { clock: { now: () => 0, monotonic: () => now } },
    )
    providers.push(provider)
    await provider.head()
    isOther = true
    expect(await provider.head()).toEqual({ number: LENGTH, hash: hashOf(last) })
    now = 5_000
    await expect(provider.head()).rejects.toThrow(/another hash was trusted before/)
  })

  it('believes new validators that the genesis file names for a block', async () => {
    const [before, after] = [[1, 2, 3, 4].map(signerOf), [11, 12, 13, 14].map(signerOf)]
    const moved = new ChangingValidators(60, [
      { number: 0, validators: before },
      { number: 31, validators: after },
    ])
    const listed = after.map(({ address }) => bytesToHex(address))
    const transport = remoteOf((number) => moved.header(number), 60)
    const first = moved.header(0) as Header
    const provider = await follow(transport, first, { transitions: { qbft: [{ block: 31, validators: listed }] } })
    expect(await provider.head()).toMatchObject({ number: 60 })
    const unaware = await follow(
      remoteOf((number) => moved.header(number), 60),
      first,
    )
    await expect(unaware.head()).rejects.toThrow(/block 31 is not trusted: too few validators of block 30/)
  })
})
