/**
 * go-ethereum's named tracers.
 * @see https://geth.ethereum.org/docs/developers/evm-tracing/built-in-tracers
 * @module
 */
import { callTracer } from './callTracer.ts'
import { type DeferredTracerMaker, type TracerMaker, writing } from './deferredTracer.ts'
import { flatCallTracer } from './flatCallTracer.ts'
import { fourByteTracer } from './fourByteTracer.ts'
import { muxTracer } from './muxTracer.ts'
import { noopTracer } from './noopTracer.ts'
import { prestateTracer } from './prestateTracer.ts'

export type { TracerMaker } from './deferredTracer.ts'

const MUX = 'muxTracer'
/** Maximum nesting depth of muxTracers. */
const MAX_MUX_DEPTH = 4

const SINGLE: ReadonlyMap<string, DeferredTracerMaker> = new Map<string, DeferredTracerMaker>([
  ['callTracer', callTracer],
  ['prestateTracer', prestateTracer],
  ['4byteTracer', fourByteTracer],
  ['flatCallTracer', flatCallTracer],
  ['noopTracer', noopTracer],
])

/** By name. */
export const GETH_TRACERS: ReadonlyMap<string, TracerMaker> = new Map(
  [...SINGLE, [MUX, mux(1)] as const].map(([name, maker]) => [name, writing(maker)]),
)

function mux(depth: number): DeferredTracerMaker {
  return muxTracer((name) => (name === MUX && depth < MAX_MUX_DEPTH ? mux(depth + 1) : SINGLE.get(name)))
}
