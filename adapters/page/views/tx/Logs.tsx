import type { VNode } from 'preact'
import { NamedAddress } from '../../components/Contract.tsx'
import { DecodedItem } from '../../components/DecodedCall.tsx'
import { More } from '../../components/More.tsx'
import { Empty } from '../../components/states.tsx'
import { byteLength, count } from '../../format/hex.ts'
import { byteSize } from '../../format/numbers.ts'
import type { Log } from '../../rpc/types.ts'
import { decodedLog } from '../../state/meaning.ts'

export function Logs({ logs }: { readonly logs: readonly Log[] }): VNode {
  if (logs.length === 0) return <Empty title="The transaction left no logs." />
  return (
    <More rows={logs} step={25}>
      {(shown) => (
        <ol class="logs">
          {shown.map((log) => (
            <li key={log.logIndex} data-row="">
              <LogItem log={log} />
            </li>
          ))}
        </ol>
      )}
    </More>
  )
}

/** One log: decoded where its event is known, else its topics and data. */
export function LogItem({ log }: { readonly log: Log }): VNode {
  const decoded = decodedLog(log).value
  return (
    <>
      <p class="row">
        <span class="muted">{count(log.logIndex)}</span>
        <NamedAddress value={log.address} />
      </p>
      {decoded ? <DecodedItem decoded={decoded} /> : <RawLog log={log} />}
    </>
  )
}

const MAX_SHOWN_DIGITS = 1024

function RawLog({ log: { topics, data } }: { readonly log: Log }): VNode {
  return (
    <dl class="arguments">
      {topics.map((topic, i) => (
        <div key={i}>
          <dt>topic {i}</dt>
          <dd>
            <code class="digits full">{topic}</code>
          </dd>
        </div>
      ))}
      <div>
        <dt>
          data <span class="type">{byteSize(byteLength(data))}</span>
        </dt>
        <dd>
          <code class="digits full">
            {data.length > MAX_SHOWN_DIGITS ? `${data.slice(0, MAX_SHOWN_DIGITS)}…` : data}
          </code>
        </dd>
      </div>
    </dl>
  )
}
