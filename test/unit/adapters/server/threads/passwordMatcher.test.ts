// slow: slow password hashes
import bcrypt from 'bcryptjs'
import { afterEach, describe, expect, it } from 'vitest'
import { PasswordMatcher } from '../../../../../adapters/server/threads/passwordMatcher.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'
import { eventually } from '../../../../support/host/eventually.ts'

const worker = bundledWorker('adapters/server/threads/passwordWorker.ts')
const HASH = bcrypt.hashSync('secret', 4)

const opened: PasswordMatcher[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((matcher) => matcher.close()))
})

function open(url?: URL): PasswordMatcher {
  const matcher = new PasswordMatcher(url)
  opened.push(matcher)
  return matcher
}

describe('the comparison of passwords', () => {
  it('runs on another thread: this one stays free', async () => {
    const { matches } = open(worker.url)
    const slow = bcrypt.hashSync('secret', 11)
    expect(await matches('secret', HASH)).toBe(true)
    // Another program may stop this thread for as long, but not in every attempt.
    await eventually(async () => {
      let longestGap = 0
      let last = performance.now()
      const timer = setInterval(() => {
        longestGap = Math.max(longestGap, performance.now() - last)
        last = performance.now()
      }, 1)
      const started = performance.now()
      const found = await Promise.all([matches('secret', slow), matches('wrong', slow)])
      const took = performance.now() - started
      clearInterval(timer)
      expect(found).toEqual([true, false])
      expect(longestGap).toBeLessThan(took / 2)
    })
  })

  it('continues on this thread when the other one fails or cannot start', async () => {
    const failing = open(worker.moduleOf('failing.mjs', 'throw new Error("broken")'))
    const absent = open(new URL('./absent.mjs', worker.url))
    for (const { matches } of [failing, absent]) {
      for (let i = 0; i < 5; i++)
        expect([await matches('secret', HASH), await matches('x', HASH)]).toEqual([true, false])
    }
  })

  it('ends with the node', async () => {
    const matcher = open(worker.url)
    const pending = matcher.matches('secret', bcrypt.hashSync('secret', 12))
    const rejected = expect(pending).rejects.toThrow('the node is closing')
    await matcher.close()
    await rejected
    await expect(matcher.matches('secret', HASH)).rejects.toThrow('the node is closing')
  })
})
