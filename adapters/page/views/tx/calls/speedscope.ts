/**
 * Gas by call in the form of speedscope.
 * @see https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
 * @module
 */
import type { CallNode } from './callTree.ts'

/**
 * Gas stands in for time: a call begins where the calls before it ended.
 * @param nameOf of a call: `Vault.withdraw`
 */
export function speedscopeFile(name: string, nodes: readonly CallNode[], nameOf: (node: CallNode) => string): string {
  const frames: { name: string }[] = []
  const frameOf = new Map<string, number>()
  const events: { type: 'O' | 'C'; frame: number; at: number }[] = []
  const open: { node: CallNode; frame: number; endsAt: number; next: number }[] = []
  const close = (): void => {
    const last = open.pop()
    if (last !== undefined) events.push({ type: 'C', frame: last.frame, at: last.endsAt })
  }
  for (const node of nodes) {
    while (open.length > 0 && (open.at(-1)?.node.end ?? 0) <= node.index) close()
    const above = open.at(-1)
    const label = nameOf(node)
    const frame = frameOf.get(label) ?? frames.push({ name: label }) - 1
    frameOf.set(label, frame)
    const at = above?.next ?? 0
    const endsAt = Math.min(at + node.gasUsed, above?.endsAt ?? Number.MAX_SAFE_INTEGER)
    if (above !== undefined) above.next = endsAt
    events.push({ type: 'O', frame, at })
    open.push({ node, frame, endsAt, next: at })
  }
  while (open.length > 0) close()
  const endValue = nodes[0]?.gasUsed ?? 0
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'isonode',
    shared: { frames },
    profiles: [{ type: 'evented', name, unit: 'none', startValue: 0, endValue, events }],
  })
}
