/**
 * The calls of a transaction as a flat list, so that neither a hundred thousand calls nor a depth of 1024 is a burden.
 * @module
 */
import { count, quantity } from '../../../format/hex.ts'
import type { Hex } from '../../../rpc/types.ts'

/** An answer of geth's `callTracer`. */
export interface TracedCall {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly value?: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly TracedCall[]
}

export interface CallNode {
  readonly call: TracedCall
  /** Place in the list, which is in the order of execution. */
  readonly index: number
  readonly depth: number
  /** -1: the transaction itself */
  readonly parent: number
  /** Index after the last call below this one. */
  readonly end: number
  readonly gasUsed: number
  /** Without the calls below. */
  readonly ownGas: number
  /** Whether the call and all calls around it failed. */
  readonly isOnFailedPath: boolean
}

interface Draft {
  call: TracedCall
  index: number
  depth: number
  parent: number
  end: number
  gasUsed: number
  ownGas: number
  isOnFailedPath: boolean
}

/** More calls than this are left out, and the view says so. */
const MAX_CALLS = 200_000

export function flattenCalls(root: TracedCall): CallNode[] {
  const nodes: Draft[] = []
  const stack: { call: TracedCall; parent: number }[] = [{ call: root, parent: -1 }]
  while (stack.length > 0 && nodes.length < MAX_CALLS) {
    const { call, parent } = stack.pop() as { call: TracedCall; parent: number }
    const above = nodes[parent]
    const index = nodes.length
    const gasUsed = count(call.gasUsed)
    const isOnFailedPath = call.error !== undefined && (above?.isOnFailedPath ?? true)
    const depth = above === undefined ? 0 : above.depth + 1
    nodes.push({ call, index, depth, parent, end: index + 1, gasUsed, ownGas: gasUsed, isOnFailedPath })
    for (const below of call.calls?.toReversed() ?? []) stack.push({ call: below, parent: index })
  }
  for (let i = nodes.length - 1; i > 0; i--) {
    const { parent, end, gasUsed } = nodes[i] as Draft
    const above = nodes[parent] as Draft
    above.end = Math.max(above.end, end)
    above.ownGas = Math.max(0, above.ownGas - gasUsed)
  }
  return nodes
}

/** The list without what is below collapsed calls. */
export function visibleCalls(nodes: readonly CallNode[], collapsed: ReadonlySet<number>): CallNode[] {
  const visible: CallNode[] = []
  for (let i = 0; i < nodes.length; ) {
    const node = nodes[i] as CallNode
    visible.push(node)
    i = collapsed.has(i) ? node.end : i + 1
  }
  return visible
}

const OPEN_DEPTH = 4
const MANY_CALLS = 200

/** Of a large tree only the upper calls and the failed path are open. */
export function initiallyCollapsed(nodes: readonly CallNode[]): Set<number> {
  if (nodes.length <= MANY_CALLS) return new Set()
  const hasCalls = nodes.filter((node) => node.end > node.index + 1)
  return new Set(hasCalls.filter((node) => node.depth >= OPEN_DEPTH && !node.isOnFailedPath).map(({ index }) => index))
}

/** The innermost call of the failed path: where the failure began. */
export function originOfFailure(nodes: readonly CallNode[]): CallNode | undefined {
  return nodes.findLast(({ isOnFailedPath }) => isOnFailedPath)
}

export function hasValue({ value, type }: TracedCall): boolean {
  return type !== 'DELEGATECALL' && value !== undefined && quantity(value) > 0n
}
