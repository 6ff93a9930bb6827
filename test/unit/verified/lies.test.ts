// slow: many requests
import { afterEach, describe, expect, it } from 'vitest'
import { checkLies, openLyingRemote } from '../../support/remote/lyingRemote.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

describe('a remote that lies', () => {
  it('is believed in nothing', async () => {
    const remote = await openLyingRemote()
    closers.push(remote.close)
    const report = await checkLies(remote, { seed: 1, count: 100 })
    expect(report.believed).toEqual([])
    expect(report.unnamed).toEqual([])
    expect(report.refused).toBeGreaterThan(50)
  })
})
