/** Types of the parts of a node, which include types of Node. Compiled like library.ts. */
import { startNode } from 'isonode'
import { createNode, type IsoNode, internalsOf } from 'isonode/unstable'

export async function use(): Promise<readonly unknown[]> {
  const inner: IsoNode = internalsOf(await startNode())
  return [inner.chain.head, createNode]
}
