import { describe, expect, it } from 'vitest'
import { durationText, ProgressReport, workProgress } from '../../../src/cli/progress.ts'

const progress = (text: string) => () => ({ message: 'work', fields: { text }, text })

describe('progress in a pipe', () => {
  it('is one line per minute', () => {
    let now = 0
    const lines: string[] = []
    const report = new ProgressReport(
      undefined,
      (_message, _fields, text) => lines.push(text),
      () => now,
    )
    for (; now <= 200_000; now += 500) report.show(progress(`at ${now / 1000} s`))
    expect(lines).toEqual(['at 60 s', 'at 120 s', 'at 180 s'])
  })

  it('starts its minute again with other work', () => {
    let now = 0
    const lines: string[] = []
    const report = new ProgressReport(
      undefined,
      (_message, _fields, text) => lines.push(text),
      () => now,
    )
    report.show(progress('first'))
    report.end()
    now = 59_000
    report.show(progress('second'))
    now = 70_000
    report.show(progress('second'))
    expect(lines).toEqual([])
  })
})

describe('progress on a terminal', () => {
  it('is one line that is overwritten, cut to the width, and removed', () => {
    let now = 0
    let written = ''
    const terminal = { columns: 10, write: (text: string) => (written += text) }
    const report = new ProgressReport(
      terminal,
      () => {},
      () => now,
    )
    report.show(progress('0123456789ABC'))
    now = 100
    report.show(progress('too early'))
    now = 200
    report.show(progress('second'))
    report.clear()
    report.clear()
    expect(written).toBe('\r\x1b[K012345678\r\x1b[Ksecond\r\x1b[K')
  })
})

describe('texts of progress', () => {
  it('estimate the rest', () => {
    const fields = { format: 2 }
    const { text } = workProgress({ work: 'migrating the database', fields, fraction: 0.25, remainingMs: 90_000 })
    expect(text).toBe('migrating the database format=2: 25 %, about 1 min 30 s left')
    expect(workProgress({ work: 'x', fields: {}, fraction: 0, remainingMs: undefined }).text).toBe('x: 0 %')
    expect([0, 900, 61_000, 3_600_000, 7_500_000].map(durationText)).toEqual([
      '0 s',
      '1 s',
      '1 min 1 s',
      '1 h 0 min',
      '2 h 5 min',
    ])
  })
})
