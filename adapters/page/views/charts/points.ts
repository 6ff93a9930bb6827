/**
 * Figures of blocks, asked once.
 * @module
 */
import { count, quantity, toQuantity } from '../../format/hex.ts'
import type { Ask } from '../../rpc/ask.ts'
import type { Block } from '../../rpc/types.ts'

export interface Point {
  readonly number: number
  /** Unix time */
  readonly time: number
  readonly gasUsed: number
  readonly gasLimit: number
  /** in wei; null before EIP-1559 */
  readonly baseFee: number | null
  /** in wei; null before EIP-4844 */
  readonly blobFee: number | null
}

interface FeeHistory {
  readonly baseFeePerBlobGas?: readonly string[]
}

const MAX_KEPT = 4096

export class Points {
  readonly #kept = new Map<number, Point>()

  /** After a reorganisation. */
  clear(): void {
    this.#kept.clear()
  }

  /** @returns the points in the order of the numbers; blocks that the node lacks are left out */
  async load(ask: Ask, numbers: readonly number[]): Promise<Point[]> {
    const missing = numbers.filter((number) => !this.#kept.has(number))
    const loaded = await Promise.all(missing.map((number) => askPoint(ask, number)))
    for (const point of loaded) if (point !== undefined) this.#keep(point)
    return numbers.map((number) => this.#kept.get(number)).filter((point) => point !== undefined)
  }

  #keep(point: Point): void {
    this.#kept.set(point.number, point)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}

async function askPoint(ask: Ask, number: number): Promise<Point | undefined> {
  const block = await ask<Block | null>('eth_getBlockByNumber', toQuantity(number), false)
  if (block === null) return undefined
  const hasBlobs = block.excessBlobGas !== undefined
  // The price depends on the rules of the block's fork, which the node knows.
  const fees = hasBlobs ? await ask<FeeHistory>('eth_feeHistory', '0x1', block.number, []).catch(() => null) : null
  const blobFee = fees?.baseFeePerBlobGas?.[0]
  return {
    number,
    time: count(block.timestamp),
    gasUsed: Number(quantity(block.gasUsed)),
    gasLimit: Number(quantity(block.gasLimit)),
    baseFee: block.baseFeePerGas === undefined ? null : Number(quantity(block.baseFeePerGas)),
    blobFee: blobFee === undefined ? null : Number(quantity(blobFee)),
  }
}

export interface Series {
  readonly id: string
  readonly title: string
  /** null: not known */
  readonly values: readonly (number | null)[]
  readonly format: (value: number) => string
}

/** The series that are drawn. Series without a single value are left out. */
export function seriesOf(points: readonly Point[]): Series[] {
  const all: Series[] = [
    {
      id: 'gas',
      title: 'Gas used, share of the limit',
      values: points.map(({ gasUsed, gasLimit }) => (gasLimit > 0 ? (100 * gasUsed) / gasLimit : null)),
      format: (value) => `${trimmed(value)} %`,
    },
    { id: 'baseFee', title: 'Base fee', values: points.map(({ baseFee }) => baseFee), format: feeText },
    { id: 'blobFee', title: 'Blob fee', values: points.map(({ blobFee }) => blobFee), format: feeText },
    {
      id: 'blockTime',
      title: 'Block time',
      values: blockTimes(points),
      format: (value) => `${trimmed(value)} s`,
    },
  ]
  return all.filter(({ values }) => values.some((value) => value !== null))
}

/** Seconds for a block, the average since the point before. The time of a genesis block, often that of 1970, says nothing. */
function blockTimes(points: readonly Point[]): (number | null)[] {
  return points.map(({ number, time }, i) => {
    const before = points[i - 1]
    const isKnown = before !== undefined && before.number > 0 && number > before.number
    return isKnown ? (time - before.time) / (number - before.number) : null
  })
}

const UNITS = [
  ['Gwei', 1e9],
  ['Mwei', 1e6],
  ['kwei', 1e3],
] as const

/** In the unit that fits, also those between wei and Gwei: an axis has no room for their zeros. */
function feeText(wei: number): string {
  const [unit, size] = UNITS.find(([, least]) => wei >= least) ?? ['wei', 1]
  return `${trimmed(wei / size)} ${unit}`
}

/** Three digits that count. */
function trimmed(value: number): string {
  return value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}
