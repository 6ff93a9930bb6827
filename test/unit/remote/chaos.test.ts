/** Random faults of two addresses, in virtual time: whatever happens, an answer belongs to its request. */
import { expect, it } from 'vitest'
import { SeededRandom } from '../../simulation/seededRandom.ts'
import {
  openVirtualClient,
  pass,
  type Reaction,
  type SentBody,
  settled,
  VirtualRemote,
} from '../../support/remote/virtualRemote.ts'

const TEXTS = ['', '7', '{}', '[]', '{"error":"busy"}', '<html>']

/** Answers with errors, parts, repetitions and answers of others; the right values stay with their ids. */
function shuffled(remote: VirtualRemote, body: SentBody, random: SeededRandom): Reaction {
  const json = JSON.parse(remote.answerTo(body)) as { id: number; result?: unknown }[] | { id: number }
  const members = Array.isArray(json) ? json : [json]
  const kept = members.filter(() => random.chance(0.9))
  const limited = kept.map((member) =>
    random.chance(0.1) ? { jsonrpc: '2.0', id: member.id, error: { code: 429, message: 'Too Many Requests' } } : member,
  )
  const foreign = { jsonrpc: '2.0', id: random.below(1_000_000) + 1_000_000, result: 'of another' }
  const mixed = [...limited, foreign, ...kept.slice(0, 2)].sort(() => random.below(3) - 1)
  return { text: JSON.stringify(body.isBatch ? mixed : (limited[0] ?? foreign)) }
}

function reactionOf(remote: VirtualRemote, body: SentBody, random: SeededRandom): Reaction | 'usual' {
  const kind = random.below(20)
  if (kind === 0) return undefined
  if (kind === 1) return 'socket hang up'
  if (kind === 2) return { status: [400, 413, 429, 500, 502, 503][random.below(6)] as number, text: '' }
  if (kind === 3) return { text: TEXTS[random.below(TEXTS.length)] as string }
  if (kind === 4) return { status: 429, retryAfterMs: random.below(3_000) }
  return kind < 10 ? shuffled(remote, body, random) : 'usual'
}

it.each([1, 2, 3, 4, 5])('with seed %i', async (seed) => {
  const random = new SeededRandom(seed)
  const { client, time, timers } = openVirtualClient(
    (virtual) =>
      ['https://one', 'https://two'].map((origin) => {
        const remote = new VirtualRemote(virtual, origin)
        remote.react = (body) => reactionOf(remote, body, random)
        return remote
      }),
    { random, limits: { retries: 100, timeoutMs: 120_000, backoffMs: 100, maxBatch: 20 } },
  )
  const answers = Promise.all(
    Array.from({ length: 40 }, async (_, chain) => {
      for (let i = 0; i < 20; i++) expect(await client.request('eth_call', [`${chain}:${i}`])).toBe(`${chain}:${i}`)
    }),
  )
  await settled(time, answers, 3_600_000, 20)
  await answers
  await pass(time, 1)
  expect(timers.pending).toBe(0)
  expect(client.status.calls).toBeGreaterThan(800)
})
