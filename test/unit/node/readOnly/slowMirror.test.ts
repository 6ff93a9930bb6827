/** Calls on a mirror whose store takes long for each read. The time is a clock that each read moves. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MIRROR_BLOCK_BYTES } from '../../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, concatBytes, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { Column } from '../../../../src/storage/schema.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import { Random } from '../../../support/host/random.ts'
import { type MirroredNode, type OpenedReplica, openMirroredNode, word } from '../../../support/mirror/mirroredNode.ts'

/** Reads slot 0, then the slot that the last one names, until one is zero; returns 42. */
const CHASE = evmCode('0 JUMPDEST SLOAD DUP1 2 JUMPI 42 0 MSTORE 32 0 RETURN')
const CONTRACT = `0x${'c'.repeat(40)}`
const OTHER = `0x${'d'.repeat(40)}`
const LINKS = 8
const ANSWER = `0x${word(42n)}`
/** Beyond the time limit of a call after two reads. */
const SLOW_MS = 4000

let writer: MirroredNode
let replica: OpenedReplica

const hashOf = (address: string): Uint8Array => keccak256(hexToBytes(address))

/** A long entry behind each slot: the slots are then in different blocks of a segment, so that each needs a read. */
function separators({ store }: MirroredNode): Mutation[] {
  const columns = [Column.flatStorage, Column.flatIncarnation]
  const prefixes = [CONTRACT, OTHER].flatMap((address) =>
    columns.map((column) => Uint8Array.of(column, ...hashOf(address))),
  )
  const slots = prefixes.flatMap((prefix) => [...store.range({ prefix })])
  return slots.map(([slot], i) => ({
    key: concatBytes(slot, Uint8Array.of(0)),
    value: new Random(i).bytes(MIRROR_BLOCK_BYTES),
  }))
}

beforeEach(async () => {
  writer = await openMirroredNode(0, 1 << 30)
  const { rpc } = writer
  for (const contract of [CONTRACT, OTHER]) {
    await rpc('hardhat_setCode', contract, bytesToHex(CHASE))
    for (let slot = 0n; slot < LINKS; slot++) {
      await rpc('hardhat_setStorageAt', contract, `0x${word(slot)}`, `0x${word(slot + 1n)}`)
    }
  }
  await rpc('hardhat_mine')
  await writer.publish()
  await writer.publisher.commit(separators(writer))
  await writer.publisher.merge()
  replica = await writer.openReplica({ pollMs: undefined })
})

afterEach(async () => {
  await replica.close()
  await writer.node.close()
})

/** @param eachMs time for each read of the store from now on */
function slowDown(eachMs: number): void {
  writer.objects.resetCounts()
  writer.objects.readFault = (_, bytes) => {
    writer.time.advance(eachMs)
    return bytes
  }
}

const call = (): Promise<string> => replica.rpc('eth_call', { to: CONTRACT }, 'latest')

describe('a call on a slow mirror', () => {
  it('waits for it longer than its time limit', async () => {
    slowDown(SLOW_MS)
    const before = writer.time.monotonic()
    expect(await call()).toBe(ANSWER)
    expect(writer.objects.waves).toBeGreaterThanOrEqual(LINKS)
    expect(writer.time.monotonic() - before).toBeGreaterThanOrEqual(LINKS * SLOW_MS)
  })

  it('ends after two minutes of waits, names what it lacks, and finds later what was read', async () => {
    slowDown(30_000)
    const error = await call().catch((reason: Error) => reason)
    const datum = `the slot of hash 0x[0-9a-f]{64} of the account of hash ${bytesToHex(hashOf(CONTRACT))}`
    const message = expect.stringMatching(`the call waited 120 s in all, and still needs ${datum}$`)
    expect(error).toMatchObject({ message })
    for (let i = 0; i < LINKS; i++) if ((await call().catch(() => undefined)) === ANSWER) break
    expect(await call()).toBe(ANSWER)
  })
})

describe('an operation of GraphQL on a slow mirror', () => {
  const calls = async (): Promise<unknown> => {
    const fields = [CONTRACT, OTHER].map((to, i) => `call${i}: call(data: { to: "${to}" }) { data }`)
    const request = new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `{ block { ${fields.join(' ')} } }` }),
    })
    return (await replica.node.endpoints.get('graphql').fetch(request)).json()
  }
  const answers = { data: { block: { call0: { data: ANSWER }, call1: { data: ANSWER } } } }

  it('waits for it longer than the time limit of its calls', async () => {
    slowDown(SLOW_MS)
    const before = writer.time.monotonic()
    expect(await calls()).toEqual(answers)
    expect(writer.time.monotonic() - before).toBeGreaterThanOrEqual(2 * LINKS * SLOW_MS)
  })

  it('ends after two minutes of waits of all its calls together', async () => {
    slowDown(120_000 / (LINKS + 4))
    const message = expect.stringMatching(/the call waited 120 s in all, and still needs the slot/)
    expect(await calls()).toMatchObject({ errors: [{ message, path: ['block', 'call1'] }] })
    expect(await calls()).toEqual(answers)
  })
})
