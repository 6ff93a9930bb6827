import { describe, expect, it } from 'vitest'
import { createLogger, formatRecord, shows, startLogging } from '../../../adapters/shared/logging.ts'
import type { LogRecord } from '../../../adapters/shared/logRecord.ts'
import { colorStyle } from '../../../adapters/shared/style.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'

const TIME = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

function record(message: string, fields: Record<string, unknown> = {}, rest: Partial<LogRecord> = {}): LogRecord {
  return { timeMs: TIME, level: 'info', category: 'chain', message, fields, ...rest }
}

describe('a line of text', () => {
  it('has time with zone, level, category, message and fields', () => {
    const fields = { number: 5n, ok: true, hash: Uint8Array.of(1, 2), reason: 'no space left', none: undefined }
    expect(formatRecord(record('block', fields), 'TEXT')).toBe(
      '2026-01-02T03:04:05.678Z INFO  [chain] block number=5 ok=true hash=0x0102 reason="no space left"',
    )
    expect(formatRecord(record('late', {}, { level: 'warn', category: 'isonode' }), 'TEXT')).toBe(
      '2026-01-02T03:04:05.678Z WARN  late',
    )
  })

  it('contains no control characters from outside', () => {
    const line = formatRecord(record('a\x1b[2J', { host: '\x1b]0;x\x07', origin: 'a\nb' }), 'TEXT')
    expect(line).toBe('2026-01-02T03:04:05.678Z INFO  [chain] a\\u001b[2J host=\\u001b]0;x\\u0007 origin="a\\nb"')
  })

  it('shows an expected error by its messages, an unexpected one with its stack', () => {
    const cause = new Error('disk full')
    const expected = new NodeError({ code: 'X' }, 'cannot store', { cause })
    expect(formatRecord(record('failed', { error: expected }), 'TEXT')).toMatch(
      /failed error="cannot store: disk full"$/,
    )
    const [first, ...stack] = formatRecord(record('failed', { error: new TypeError('bug') }), 'TEXT').split('\n')
    expect(first).toMatch(/failed error=bug$/)
    expect(stack.length).toBeGreaterThan(0)
    for (const line of stack) expect(line).toMatch(/^ {4}at /)
  })

  it('may have its own text', () => {
    const text = (): string => 'block 5\n  1 transaction'
    expect(formatRecord(record('block', { number: 5 }, { text }), 'TEXT')).toBe(
      '2026-01-02T03:04:05.678Z INFO  [chain] block 5\n  1 transaction',
    )
  })

  it('has colours only in their style', () => {
    expect(formatRecord(record('x', {}, { level: 'error' }), 'TEXT', colorStyle)).toContain('\x1b[31mERROR\x1b[39m')
  })
})

describe('a line of JSON', () => {
  const parsed = (value: LogRecord): unknown => JSON.parse(formatRecord(value, 'JSON'))

  it('is one object with time, level, category, message and fields', () => {
    const fields = { number: 5n, wei: 10n ** 20n, hash: Uint8Array.of(255), list: [1n], text: 'a\nb' }
    expect(parsed(record('block', fields))).toEqual({
      time: '2026-01-02T03:04:05.678Z',
      level: 'INFO',
      category: 'chain',
      message: 'block',
      fields: { number: 5, wei: '100000000000000000000', hash: '0xff', list: [1], text: 'a\nb' },
    })
    expect(parsed(record('quiet'))).toMatchObject({ fields: {} })
  })

  it('is one line of printable characters', () => {
    const line = formatRecord(record('a\nb\x9b', { '\u2028': '\x1b\x7f' }), 'JSON')
    expect(line).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(line)).toMatchObject({ message: 'a\nb\x9b', fields: { '\u2028': '\x1b\x7f' } })
  })

  it('describes errors, and survives values without a JSON form', () => {
    const error = new NodeError({ code: 'FULL' }, 'cannot store', { cause: new Error('disk full') })
    expect(parsed(record('x', { error }))).toMatchObject({
      fields: { error: { name: 'NodeError', code: 'FULL', message: 'cannot store', cause: { message: 'disk full' } } },
    })
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(parsed(record('x', { circle }))).toMatchObject({ message: 'x', fields: {} })
  })
})

describe('a logger', () => {
  it('writes what its level shows, and follows changes of the level', () => {
    const threshold = { level: 'WARN' as const } as { level: 'WARN' | 'DEBUG' | 'OFF' }
    const written: LogRecord[] = []
    const logger = createLogger(threshold, (entry) => written.push(entry))
      .child('a')
      .child('b')
    logger.info('hidden')
    logger.error('shown', { x: 1 })
    threshold.level = 'DEBUG'
    logger.debug('shown too')
    threshold.level = 'OFF'
    logger.error('hidden')
    expect(written).toMatchObject([
      { level: 'error', category: 'a.b', message: 'shown', fields: { x: 1 } },
      { level: 'debug', category: 'a.b', message: 'shown too' },
    ])
  })

  it('has the levels of --logging', () => {
    expect(shows('ALL', 'trace')).toBe(true)
    expect(shows('FATAL', 'error')).toBe(true)
    expect(shows('FATAL', 'warn')).toBe(false)
    expect(shows('OFF', 'error')).toBe(false)
  })

  it('of a program without a format writes text', () => {
    const lines: string[] = []
    startLogging('INFO', (line) => lines.push(line)).warn('careful {0}', { n: 1n })
    expect(lines).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z WARN {2}careful \{0\} n=1$/)])
  })
})
