import { describe, expect, it } from 'vitest'
import { attack, judge, KINDS } from '../reliability/unreadAnswers.mjs'

describe('80 clients that request long answers and never read', () => {
  it.each(KINDS)(
    'leave the node bounded and its other clients answered: %s',
    async (kind) => {
      const { isGood, line } = judge(kind, await attack({ kind, connections: 80, seconds: 3, command: undefined }))
      expect(isGood, line).toBe(true)
    },
    120_000,
  )
})
