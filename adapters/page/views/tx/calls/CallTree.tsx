import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Amount } from '../../../components/Amount.tsx'
import { Answer } from '../../../components/Answer.tsx'
import { Badge } from '../../../components/Badge.tsx'
import { Button } from '../../../components/Button.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { VirtualList } from '../../../components/VirtualList.tsx'
import { shortened } from '../../../format/hex.ts'
import { grouped } from '../../../format/numbers.ts'
import { contractAt, decodedCall, decodedError } from '../../../state/meaning.ts'
import { callText } from '../../../state/present.ts'
import { useTrace } from '../useTrace.ts'
import { type CallNode, hasValue, initiallyCollapsed, originOfFailure, visibleCalls } from './callTree.ts'

const ROW_HEIGHT = 28
const MAX_INDENT = 24

export function CallTree({ hash }: { readonly hash: string }): VNode {
  return (
    <Answer query={useTrace(hash)} what="the trace of the transaction">
      {(nodes) => <Tree nodes={nodes} />}
    </Answer>
  )
}

function Tree({ nodes }: { readonly nodes: readonly CallNode[] }): VNode {
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(() => initiallyCollapsed(nodes))
  const visible = useMemo(() => visibleCalls(nodes, collapsed), [nodes, collapsed])
  const origin = useMemo(() => originOfFailure(nodes), [nodes])
  const [active, setActive] = useState(origin === undefined ? undefined : visible.indexOf(origin))
  const toggle = (index: number): void => {
    const next = new Set(collapsed)
    if (!next.delete(index)) next.add(index)
    setCollapsed(next)
  }
  const collapseAll = (): void =>
    setCollapsed(new Set(nodes.filter((node) => node.depth > 0).map(({ index }) => index)))
  return (
    <>
      <p class="row">
        <span class="muted">{grouped(nodes.length)} calls</span>
        <Button onClick={() => setCollapsed(new Set())}>Expand all</Button>
        <Button onClick={collapseAll}>Collapse all</Button>
        {origin && <Button onClick={() => setActive(visible.indexOf(origin))}>To the failure</Button>}
      </p>
      <VirtualList
        label="Calls"
        count={visible.length}
        rowHeight={ROW_HEIGHT}
        maxRows={24}
        active={active}
        renderRow={(i) => {
          const node = visible[i] as CallNode
          return (
            <Row node={node} isCollapsed={collapsed.has(node.index)} isOrigin={node === origin} onToggle={toggle} />
          )
        }}
      />
    </>
  )
}

interface RowProps {
  readonly node: CallNode
  readonly isCollapsed: boolean
  readonly isOrigin: boolean
  readonly onToggle: (index: number) => void
}

function Row({ node, isCollapsed, isOrigin, onToggle }: RowProps): VNode {
  const { call, index, end, depth, gasUsed } = node
  const hasCalls = end > index + 1
  return (
    <div
      class={`call ${call.error === undefined ? '' : 'failed'}`}
      data-row=""
      style={{ paddingLeft: `${Math.min(depth, MAX_INDENT) * 16}px` }}
    >
      {hasCalls ? (
        <button
          type="button"
          class="copy"
          aria-expanded={!isCollapsed}
          aria-label={`Calls of call ${index}`}
          onClick={() => onToggle(index)}
        >
          <Icon name={isCollapsed ? 'next' : 'down'} />
        </button>
      ) : (
        <span class="leaf" />
      )}
      <Badge tone={call.error === undefined ? 'plain' : 'bad'}>{call.type}</Badge>
      {depth > MAX_INDENT && <span class="muted">depth {depth}</span>}
      <CallTitle node={node} />
      {hasValue(call) && <Amount wei={call.value as string} />}
      {call.error !== undefined && <CallError node={node} isOrigin={isOrigin} />}
      <span class="gas">{grouped(gasUsed)} gas</span>
    </div>
  )
}

function CallTitle({ node }: { readonly node: CallNode }): VNode {
  const { to, input, type } = node.call
  const isCreation = type.startsWith('CREATE')
  const contract = to === undefined ? undefined : contractAt(to).value
  const decoded = isCreation || to === undefined ? undefined : decodedCall(input, to).value
  return (
    <>
      {to === undefined ? (
        <span class="muted">no address</span>
      ) : (
        <a href={`#/address/${to}`} title={to}>
          {contract?.matchedBy === 'code' ? contract.name : <span class="digits">{shortened(to)}</span>}
        </a>
      )}
      {decoded ? (
        <code title={decoded.signature}>{callText(decoded)}</code>
      ) : (
        input.length > 2 && !isCreation && <code>{input.slice(0, 10)}</code>
      )}
    </>
  )
}

function CallError({ node, isOrigin }: { readonly node: CallNode; readonly isOrigin: boolean }): VNode {
  const { error, revertReason, output, to } = node.call
  const decoded = output === undefined ? undefined : decodedError(output, to ?? null).value
  return (
    <span class="call-error">
      {isOrigin && <Icon name="warning" />}
      {revertReason ?? (decoded ? callText(decoded) : error)}
    </span>
  )
}
