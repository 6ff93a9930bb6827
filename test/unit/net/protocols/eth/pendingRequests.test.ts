import { describe, expect, it } from 'vitest'
import type { EthResponse } from '../../../../../src/net/protocols/eth/messages.ts'
import { PendingRequests } from '../../../../../src/net/protocols/eth/pendingRequests.ts'
import { type EthVersion, ethVersion } from '../../../../../src/net/protocols/eth/versions.ts'

const values = (requestId: bigint | undefined, count = 0): EthResponse => ({
  kind: 'nodeData',
  requestId,
  values: Array.from({ length: count }, () => new Uint8Array(1)),
})
const bodies = (requestId: bigint | undefined): EthResponse => ({ kind: 'blockBodies', requestId, bodies: [] })
const of = (number: number): PendingRequests => new PendingRequests(ethVersion(number) as EthVersion)

describe('answers with ids', () => {
  it('belong to the request of their id and kind, once', () => {
    const pending = of(66)
    const first = pending.open('getNodeData', 2, 0)
    const second = pending.open('getNodeData', 2, 0)
    expect(first.requestId).not.toBe(second.requestId)
    expect(pending.close(bodies(first.requestId))).toEqual({ kind: 'unsolicited' })
    expect(pending.close(values(second.requestId, 2))).toEqual({ kind: 'expected', request: second })
    expect(pending.close(values(second.requestId))).toEqual({ kind: 'unsolicited' })
    expect(pending.close(values(first.requestId))).toEqual({ kind: 'expected', request: first })
    expect(pending.close(values(99n))).toEqual({ kind: 'unsolicited' })
  })

  it('are late after the time-out', () => {
    const pending = of(68)
    const request = pending.open('getBlockBodies', 1, 100)
    expect(pending.expire(5099)).toEqual([])
    expect(pending.expire(5100)).toEqual([request])
    expect(pending.expire(9999)).toEqual([])
    expect(pending.close(bodies(request.requestId))).toEqual({ kind: 'late', request })
    expect(pending.close(bodies(request.requestId))).toEqual({ kind: 'unsolicited' })
  })
})

it('answers without ids belong to the oldest request of their kind', () => {
  const pending = of(65)
  const first = pending.open('getNodeData', 1, 0)
  const other = pending.open('getBlockBodies', 1, 0)
  const second = pending.open('getNodeData', 1, 3000)
  expect(pending.expire(5000)).toEqual([first, other])
  expect(pending.close(values(undefined))).toEqual({ kind: 'late', request: first })
  expect(pending.close(values(undefined))).toEqual({ kind: 'expected', request: second })
  expect(pending.close(bodies(undefined))).toEqual({ kind: 'late', request: other })
  expect(pending.close(bodies(undefined))).toEqual({ kind: 'unsolicited' })
})

it('five requests may wait, and few late ones are remembered', () => {
  const pending = of(66)
  for (let i = 0; i < 5; i++) {
    expect(pending.hasCapacity).toBe(true)
    pending.open('getNodeData', 1, 0)
  }
  expect(pending.hasCapacity).toBe(false)
  expect(pending.clear()).toHaveLength(5)
  const sent = Array.from({ length: 20 }, () => {
    const request = pending.open('getNodeData', 1, 0)
    pending.expire(6000)
    return request
  })
  const verdicts = sent.map(({ requestId }) => pending.close(values(requestId)).kind)
  expect(verdicts.filter((kind) => kind === 'late')).toHaveLength(16)
})
