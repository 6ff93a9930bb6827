import { describe, expect, it } from 'vitest'
import { MAX_LOGGED_REFUSALS } from '../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { RefusalLog } from '../../../src/node/refusalLog.ts'

describe('the log of refusals', () => {
  it('names each host and origin once, up to a bound', () => {
    const warned: unknown[] = []
    const log = new RefusalLog({ ...silentLogger, warn: (message, fields) => warned.push([message, fields]) })
    for (let i = 0; i < 3; i++) {
      log.log({ kind: 'host', value: 'a', option: '--host-allowlist=a' })
      log.log({ kind: 'origin', value: 'a', option: '--o=a' })
    }
    expect(warned).toEqual([
      ['refused a request because of its host', { host: 'a', allowedBy: '--host-allowlist=a' }],
      ['refused a request because of its origin', { origin: 'a', allowedBy: '--o=a' }],
    ])
    for (let i = 0; i < 2 * MAX_LOGGED_REFUSALS; i++) log.log({ kind: 'host', value: `h${i}`, option: '' })
    expect(warned).toHaveLength(MAX_LOGGED_REFUSALS + 1)
    expect(warned.at(-1)).toMatchObject(['further refused hosts and origins are not logged', {}])
  })
})
