// slow: thousands of derived blocks after each of many random changes of the head
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { DevProducer } from '../../../src/dev/devProducer.ts'
import { DevTemplate } from '../../../src/dev/devTemplate.ts'
import { stateSource } from '../../../src/node/stateSource.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Life, SimulatedWorld } from '../../simulation/world.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { openPool } from '../../support/chains/pool.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { Random } from '../../support/host/random.ts'
import { testYield } from '../../support/host/testYield.ts'
import { BOB, openDevChain } from '../../support/nodes/devChain.ts'

const HISTORY = hexToBytes('0000f90827f1c53a10cb7a02335b175320002935')
const RING = 8191
/** A run of about 600 blocks, and steps of a few blocks when the head moves. */
const RUN = 600
const SMALL_STEPS = { atomicBlocks: 6, stepBlocks: 2 }

async function open(kv: MemoryStore) {
  const { clock, timers } = new Life(new SimulatedWorld(1), 'host', 1_900_000_000_000)
  const states = new StateStore(kv)
  const chain = await openDevChain({ clock, kv, states, moveBounds: SMALL_STEPS })
  const settings = { coinbase: hexToBytes(BOB.address), extraData: new Uint8Array(0), targetGasLimit: undefined }
  const ports = { clock, timers, yieldToHost: testYield, logger: silentLogger }
  const source = stateSource(states)
  const producer = new DevProducer({
    chain,
    writer: devWriter(chain),
    pool: openPool(chain, { clock }),
    states: source,
    template: new DevTemplate(settings, clock),
    ...ports,
    mode: { kind: 'off' },
  })
  return { chain, producer, writer: devWriter(chain), states: source }
}

type Opened = Awaited<ReturnType<typeof open>>

function word(value: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => (i < 28 ? 0 : (value >>> (8 * (31 - i))) & 255))
}

/** The history contract knows every ancestor of a block. */
function checkHistory({ chain, states }: Opened, number: number): void {
  const block = chain.headerByNumber(number)
  const state = block && states.at(block)
  for (let at = Math.max(0, number - RING); at < number; at += 1 + Math.floor((number - at) / 7)) {
    const value = state?.getStorage(HISTORY, word(at % RING)) ?? new Uint8Array(0)
    expect(bytesToHex(value), `hash of ${at} after ${number}`).toBe(bytesToHex(chain.canonicalHash(at) as Uint8Array))
  }
}

function check(opened: Opened): void {
  checkInvariants(opened.chain)
  const head = Number(opened.chain.head.header.number)
  for (const number of [head, Math.floor(head / 2), Math.max(0, head - 300)]) checkHistory(opened, number)
}

const hashAt = (chain: Chain, number: number): Uint8Array => chain.canonicalHash(number) as Uint8Array

describe('the head of a chain with runs', () => {
  it.each([1, 2])('moves between any two blocks (seed %i)', async (seed) => {
    const random = new Random(seed)
    const kv = new MemoryStore()
    let opened = await open(kv)
    const known: Uint8Array[] = [opened.chain.head.hash]
    for (let step = 0; step < 12; step++) {
      const { chain, producer, writer } = opened
      const head = Number(chain.head.header.number)
      const action = random.below(6)
      if (action === 0) await producer.mine(BigInt(1 + random.below(9)))
      else if (action <= 2) await producer.mine(BigInt(RUN + random.below(700)), BigInt(1 + random.below(3)))
      else if (action === 3) await writer.rollback(random.below(head + 1))
      else if (action === 4) {
        const target = known[random.below(known.length)] as Uint8Array
        expect((await chain.setHead(target))?.hash).toEqual(target)
        expect(chain.head.hash).toEqual(target)
      } else {
        await chain.close()
        opened = await open(kv)
      }
      const top = Number(opened.chain.head.header.number)
      known.push(opened.chain.head.hash, hashAt(opened.chain, random.below(top + 1)))
      check(opened)
    }
    opened.producer.close()
  })

  it('returns to a checkpoint in a run, with its amendments', async () => {
    const opened = await open(new MemoryStore())
    const { chain, producer, writer } = opened
    await producer.mine(900n)
    await writer.rollback(200)
    await writer.amendHead((state) => state.setBalance(hexToBytes(BOB.address), 5n))
    const checkpoint = await writer.checkpoint()
    const amended = chain.head
    await producer.mine(900n)
    await writer.amendHead((state) => state.setBalance(hexToBytes(BOB.address), 6n))
    await writer.restore(checkpoint)
    expect(chain.head).toEqual(amended)
    expect(chain.stateAt(chain.head).getAccount(hexToBytes(BOB.address))?.balance).toBe(5n)
    checkHistory(opened, 700)
    await producer.mine(2n)
    checkHistory(opened, 702)
    expect(chain.stateAt(chain.head).getAccount(hexToBytes(BOB.address))?.balance).toBe(5n)
    await writer.restore(undefined)
    check(opened)
  })
})
