/** Tables in Markdown: gas per processor time, and ratios to the first target. */

export interface BlockRow {
  readonly name: string
  readonly program: string
  readonly gas: number
  /** Medians in milliseconds, by target. */
  readonly cpuMs: ReadonlyMap<string, number>
  /** Reasons of the targets that cannot execute the block. */
  readonly skipped: ReadonlyMap<string, string>
  /** What a target failed at or computed differently. */
  readonly problems: readonly string[]
}

/** Shortest time of a ratio: the clock of another process has steps of a millisecond. */
const LEAST_MS = 1

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number
}

export function blockTable(rows: readonly BlockRow[], targets: readonly string[]): string {
  const [first, ...others] = targets as [string, ...string[]]
  const head = ['block', 'fork or program', 'Mgas', first, ...others.flatMap((name) => [name, 'ratio'])]
  const lines = rows.map((row) => [
    row.name,
    row.program,
    (row.gas / 1e6).toFixed(1),
    rateOf(row, first),
    ...others.flatMap((name) => [rateOf(row, name), ratioText(row, first, name)]),
  ])
  return markdown(head, lines, 2)
}

/** Rate of all blocks that both targets executed, and ratios. */
export function summary(rows: readonly BlockRow[], targets: readonly string[]): string {
  const [first, ...others] = targets as [string, ...string[]]
  const lines = others.map((name) => {
    const common = rows.filter((row) => timeOf(row, first) !== undefined && timeOf(row, name) !== undefined)
    const ratios = common.map((row) => ratioOf(row, first, name)).filter((ratio) => ratio !== undefined)
    return [
      name,
      String(common.length),
      totalRate(common, first).toFixed(0),
      totalRate(common, name).toFixed(0),
      (totalRate(common, first) / totalRate(common, name)).toFixed(2),
      ratios.length === 0 ? '-' : median(ratios).toFixed(2),
      ratios.length === 0 ? '-' : geometricMean(ratios).toFixed(2),
    ]
  })
  return markdown(['beside', 'blocks', first, 'the other', 'ratio of all', 'median ratio', 'geometric mean'], lines, 1)
}

function timeOf(row: BlockRow, target: string): number | undefined {
  const ms = row.cpuMs.get(target)
  return ms === undefined || ms <= 0 ? undefined : ms
}

function rateOf(row: BlockRow, target: string): string {
  const ms = timeOf(row, target)
  return ms === undefined ? '-' : (row.gas / 1000 / ms).toFixed(row.gas / 1000 / ms < 100 ? 1 : 0)
}

/** Above 1 when the first target is faster. */
function ratioOf(row: BlockRow, first: string, other: string): number | undefined {
  const [a, b] = [timeOf(row, first), timeOf(row, other)]
  return a === undefined || b === undefined || b < LEAST_MS ? undefined : b / a
}

function ratioText(row: BlockRow, first: string, other: string): string {
  return ratioOf(row, first, other)?.toFixed(2) ?? '-'
}

/** Mgas per second of processor time. */
function totalRate(rows: readonly BlockRow[], target: string): number {
  const gas = rows.reduce((sum, row) => sum + row.gas, 0)
  return gas / 1000 / rows.reduce((sum, row) => sum + (timeOf(row, target) ?? 0), 0)
}

function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}

/** @param textColumns number of columns that are aligned to the left */
function markdown(head: readonly string[], lines: readonly (readonly string[])[], textColumns: number): string {
  const rule = head.map((_, i) => (i < textColumns ? '---' : '---:'))
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
