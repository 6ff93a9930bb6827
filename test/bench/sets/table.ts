/** Tables in Markdown: gas per processor time, and ratios of isonode's rate to that of the other target. */

export interface BlockRow {
  readonly name: string
  readonly program: string
  readonly gas: number
  /** Medians in milliseconds, by target. */
  readonly cpuMs: ReadonlyMap<string, number>
  /** Reasons of the targets that cannot execute the block. */
  readonly skipped: ReadonlyMap<string, string>
  /** Reason why a target failed, or the difference in its result. */
  readonly problems: readonly string[]
}

/** Shortest time of a ratio: the clock of another process has steps of a millisecond. */
const LEAST_MS = 1

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number
}

/** The targets that a table shows, and with which of them each is compared. */
type Columns = readonly { readonly name: string; readonly comparedWith: string | undefined }[]

export function blockTable(rows: readonly BlockRow[], targets: Columns): string {
  const head = targets.flatMap(({ name, comparedWith }) => (comparedWith === undefined ? [name] : [name, 'ratio']))
  const lines = rows.map((row) => [
    row.name,
    row.program,
    (row.gas / 1e6).toFixed(1),
    ...targets.flatMap(({ name, comparedWith }) =>
      comparedWith === undefined ? [rateOf(row, name)] : [rateOf(row, name), ratioText(row, comparedWith, name)],
    ),
  ])
  return markdown(['block', 'fork or program', 'Mgas', ...head], lines, 2)
}

/** Rates of all blocks that both targets executed, and ratios. */
export function summary(rows: readonly BlockRow[], targets: Columns): string {
  const lines = targets.flatMap(({ name, comparedWith }) =>
    comparedWith === undefined ? [] : [comparison(rows, comparedWith, name)],
  )
  const head = ['targets', 'blocks', 'Mgas/s', 'the other', 'ratio of all', 'median ratio', 'geometric mean']
  return markdown(head, lines, 1)
}

function comparison(rows: readonly BlockRow[], own: string, other: string): string[] {
  const common = rows.filter((row) => timeOf(row, own) !== undefined && timeOf(row, other) !== undefined)
  const ratios = common.map((row) => ratioOf(row, own, other)).filter((ratio) => ratio !== undefined)
  const [ownRate, otherRate] = [totalRate(common, own), totalRate(common, other)]
  return [
    `${own}, ${other}`,
    String(common.length),
    ownRate.toFixed(0),
    otherRate.toFixed(0),
    (ownRate / otherRate).toFixed(2),
    ratios.length === 0 ? '-' : median(ratios).toFixed(2),
    ratios.length === 0 ? '-' : geometricMean(ratios).toFixed(2),
  ]
}

function timeOf(row: BlockRow, target: string): number | undefined {
  const ms = row.cpuMs.get(target)
  return ms === undefined || ms <= 0 ? undefined : ms
}

function rateOf(row: BlockRow, target: string): string {
  const ms = timeOf(row, target)
  return ms === undefined ? '-' : (row.gas / 1000 / ms).toFixed(row.gas / 1000 / ms < 100 ? 1 : 0)
}

/** Above 1 when the own target is faster. */
function ratioOf(row: BlockRow, own: string, other: string): number | undefined {
  const [a, b] = [timeOf(row, own), timeOf(row, other)]
  return a === undefined || b === undefined || b < LEAST_MS ? undefined : b / a
}

function ratioText(row: BlockRow, own: string, other: string): string {
  return ratioOf(row, own, other)?.toFixed(2) ?? '-'
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
