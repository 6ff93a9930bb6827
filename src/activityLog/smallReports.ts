/**
 * Reports of one line.
 * @module
 */

import { grouped } from '../base/primitives/amounts.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { BackEntry, EmptyBlocks, NoteEntry } from './entries.ts'
import type { Dropped } from './entryQueue.ts'
import type { Report } from './output.ts'

export function blockReport({ block: { header, hash }, included }: SealedBlock): Report {
  const count = included.length
  return {
    level: 'info',
    kind: 'block',
    text: (paint) => {
      const content = `  ${count} transactions  ${grouped(header.gasUsed)} gas  ${paint('block', bytesToHex(hash))}`
      return `block ${header.number}${paint('dim', content)}`
    },
    record: () => ({
      number: Number(header.number),
      hash: bytesToHex(hash),
      transactions: count,
      gasUsed: Number(header.gasUsed),
    }),
  }
}

export function emptyReport({ first, last }: EmptyBlocks): Report {
  const from = Number(first.header.number)
  const to = Number(last.header.number)
  const name = from === to ? `block ${from}` : `blocks ${from} to ${to}`
  return {
    level: 'info',
    kind: 'block',
    text: (paint) => name + paint('dim', `  0 transactions  ${paint('block', bytesToHex(last.hash))}`),
    record: () => ({ number: to, hash: bytesToHex(last.hash), transactions: 0, ...(from === to ? {} : { from }) }),
  }
}

export function backReport({ head: { header, hash } }: BackEntry): Report {
  return {
    level: 'info',
    kind: 'back',
    text: (paint) => `back to block ${header.number}${paint('dim', `  ${paint('block', bytesToHex(hash))}`)}`,
    record: () => ({ number: Number(header.number), hash: bytesToHex(hash) }),
  }
}

export function noteReport({ level, text }: Pick<NoteEntry, 'level' | 'text'>): Report {
  return {
    level,
    kind: 'note',
    text: (paint) => (level === 'warn' ? `${paint('bad', 'warning')}  ${text}` : text),
    record: () => ({ text }),
  }
}

export function droppedReport({ calls, transactions }: Dropped): Report {
  return {
    level: 'warn',
    kind: 'omitted',
    text: (paint) =>
      paint(
        'dim',
        `… ${grouped(calls)} calls and ${grouped(transactions)} transactions are not shown: too many at once`,
      ),
    record: () => ({ calls, transactions }),
  }
}

export function omittedPathsReport(count: number): Report {
  return {
    level: 'info',
    kind: 'omitted',
    text: (paint) => paint('dim', `… the calls of ${grouped(count)} executions are not shown: there was no time`),
    record: () => ({ callPaths: count }),
  }
}
