/** Many subscribers of the Worker in workerd hear of each head once and in order, also when their objects have slept. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LiveSocket, LiveWorker } from '../runtime/support/liveWorker.ts'
import { eventually } from '../support/host/eventually.ts'
import { longCount } from './count.ts'

const SOCKETS = Math.min(longCount, 2000)
/** Connections that are opened at once. */
const AT_ONCE = 50
const HEADS = 5
/** Then workerd removes an object that has nothing to do, and keeps its WebSockets. */
const IDLE_MS = 11_000
const MAX_WAITS = 2

let worker: LiveWorker
beforeAll(async () => {
  worker = await LiveWorker.open('test/runtime/support/countedWorker.mjs')
}, 120_000)
afterAll(() => worker.close())

it(`${SOCKETS} sockets hear of each head, also after their objects have slept`, async () => {
  const sockets: LiveSocket[] = []
  while (sockets.length < SOCKETS) {
    const count = Math.min(AT_ONCE, SOCKETS - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: count }, () => subscriber()))))
  }
  const sentMs: number[] = []
  const block = async (): Promise<void> => {
    sentMs.push(await worker.block(sentMs.length + 1))
  }
  const allHaveHeard = (): Promise<void> =>
    eventually(() => {
      const late = sockets.filter(({ heads }) => heads.length < sentMs.length)
      expect(late.map(({ heads }) => heads.length)).toEqual([])
    })

  for (let head = 0; head < HEADS; head++) {
    await block()
    await allHaveHeard()
  }
  const slept = await afterSleep(async () => {
    await block()
    await allHaveHeard()
    return sentMs.length
  })
  // Manifests that follow each other faster than the objects read them.
  for (let head = 0; head < HEADS; head++) await block()
  await allHaveHeard()

  const expected = sentMs.map((_, i) => `0x${(i + 1).toString(16)}`)
  for (const { heads } of sockets) expect(heads).toEqual(expected)
  const longestMs = sentMs.map((sent, i) => Math.max(...sockets.map(({ arrivedMs }) => (arrivedMs[i] ?? 0) - sent)))
  const longest = (from: number, to?: number): number => Math.round(Math.max(...longestMs.slice(from, to)))
  console.log(
    `${SOCKETS} sockets, ${sentMs.length} heads: the last socket heard ${longest(0, HEADS)} ms after a manifest was sent, ` +
      `${longest(slept - 1, slept)} ms when the objects had slept, ${longest(slept)} ms when ${HEADS} manifests came at once`,
  )
  for (const socket of sockets) socket.close()
})

async function subscriber(): Promise<LiveSocket> {
  const socket = await worker.connect()
  expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ result: expect.stringMatching(/^0x/) })
  return socket
}

const starts = async (): Promise<number> => Number(await (await worker.fetch('/starts')).text())

/** Repeats a task after a rest, until that has started objects again. @returns what the task said the last time */
async function afterSleep<T>(task: () => Promise<T>): Promise<T> {
  const before = await starts()
  for (let wait = 0; wait < MAX_WAITS; wait++) {
    await delay(IDLE_MS)
    const said = await task()
    if ((await starts()) > before) return said
  }
  throw new Error('the objects were never removed')
}
