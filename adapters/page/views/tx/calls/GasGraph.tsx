import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Answer } from '../../../components/Answer.tsx'
import { Button } from '../../../components/Button.tsx'
import { shortened } from '../../../format/hex.ts'
import { grouped, percent } from '../../../format/numbers.ts'
import { contractAt, decodedCall, knownCallName } from '../../../state/meaning.ts'
import { saveFile } from '../../../state/saveFile.ts'
import { useTrace } from '../useTrace.ts'
import type { CallNode } from './callTree.ts'
import { type FlameBox, flameBoxes } from './flame.ts'
import { LineCosts } from './LineCosts.tsx'
import { speedscopeFile } from './speedscope.ts'

const ROW = 24
const MAX_DEPTH = 40
/** Share of the width of a box that has room for its name. */
const MIN_NAMED = 0.03

/** Gas by call, as a flame graph, and by line of source. */
export function GasGraph({ hash }: { readonly hash: string }): VNode {
  return (
    <div class="stack">
      <Answer query={useTrace(hash)} what="the trace of the transaction">
        {(nodes) => <Flame hash={hash} nodes={nodes} />}
      </Answer>
      <LineCosts hash={hash} />
    </div>
  )
}

function Flame({ hash, nodes }: { readonly hash: string; readonly nodes: readonly CallNode[] }): VNode {
  const [rootIndex, setRoot] = useState(0)
  const root = nodes[rootIndex] as CallNode
  const boxes = useMemo(() => flameBoxes(nodes, root).filter(({ depth }) => depth < MAX_DEPTH), [nodes, root])
  const height = (Math.max(0, ...boxes.map(({ depth }) => depth)) + 1) * ROW
  const save = (): void => saveFile(`${hash}.speedscope.json`, speedscopeFile(hash, nodes, nameOf), 'application/json')
  return (
    <div>
      <p class="row">
        <span class="muted">Each box is a call; its width is the gas that it used. Press a box to look closer.</span>
        {rootIndex > 0 && <Button onClick={() => setRoot(root.parent)}>Out</Button>}
        <Button onClick={save}>Save for speedscope</Button>
      </p>
      <div class="flame" style={{ height: `${height}px` }}>
        {boxes.map((box) => (
          <Box key={box.node.index} box={box} total={root.gasUsed} onOpen={setRoot} />
        ))}
      </div>
    </div>
  )
}

interface BoxProps {
  readonly box: FlameBox
  readonly total: number
  readonly onOpen: (index: number) => void
}

function Box({ box: { node, depth, left, width }, total, onOpen }: BoxProps): VNode {
  const { to, input } = node.call
  if (to !== undefined && width > MIN_NAMED) {
    // The name of the box follows these answers.
    contractAt(to).value
    decodedCall(input, to).value
  }
  const name = nameOf(node)
  const text = `${name}: ${grouped(node.gasUsed)} gas, ${percent(node.gasUsed, total)}; ${grouped(node.ownGas)} by itself`
  return (
    <button
      type="button"
      class={node.call.error === undefined ? `flame-box tone-${depth % 4}` : 'flame-box failed'}
      title={text}
      aria-label={text}
      style={{ left: `${left * 100}%`, width: `${width * 100}%`, top: `${depth * ROW}px`, height: `${ROW - 1}px` }}
      onClick={() => onOpen(node.index)}
    >
      {width > MIN_NAMED && name}
    </button>
  )
}

function nameOf({ call: { to, input, type } }: CallNode): string {
  if (to === undefined) return type
  return type.startsWith('CREATE') ? `new ${shortened(to)}` : knownCallName(input, to)
}
