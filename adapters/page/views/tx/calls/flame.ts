/**
 * Rectangles of a flame graph.
 * @module
 */
import type { CallNode } from './callTree.ts'

export interface FlameBox {
  readonly node: CallNode
  readonly depth: number
  /** Between 0 and 1. */
  readonly left: number
  readonly width: number
}

/** Narrower boxes cannot be seen. */
const MIN_WIDTH = 0.0015
const MAX_BOXES = 3000

/**
 * @param root the call that fills the width
 * @returns boxes from the root downwards; those too narrow to see are left out with what is below them
 */
export function flameBoxes(nodes: readonly CallNode[], root: CallNode): FlameBox[] {
  const total = Math.max(1, root.gasUsed)
  const boxes: FlameBox[] = []
  /** Of the open calls: where the next call below begins. */
  const next = new Map<number, number>([[root.parent, 0]])
  for (let i = root.index; i < root.end && boxes.length < MAX_BOXES; ) {
    const node = nodes[i] as CallNode
    const left = next.get(node.parent) ?? 0
    const width = Math.min(node.gasUsed / total, 1 - left)
    next.set(node.parent, left + width)
    if (width < MIN_WIDTH && node !== root) {
      i = node.end
      continue
    }
    boxes.push({ node, depth: node.depth - root.depth, left, width })
    next.set(i, left)
    i++
  }
  return boxes
}
