import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { abiTypes, canonicalName } from '../../../../src/abi/abiType.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { Answer } from '../../components/Answer.tsx'
import { Field } from '../../components/Field.tsx'
import { Hash } from '../../components/Hash.tsx'
import { More } from '../../components/More.tsx'
import { Empty } from '../../components/states.tsx'
import { count, quantity } from '../../format/hex.ts'
import { grouped, parseInteger } from '../../format/numbers.ts'
import type { AbiEntry, ContractInfo } from '../../rpc/isonode.ts'
import { type FoundLogs, searchLogs } from '../../state/logSearch.ts'
import { useQuery } from '../../state/query.ts'
import { LogItem } from '../tx/Logs.tsx'

interface Props {
  readonly address: string
  readonly contract: ContractInfo | undefined
}

const WANTED = 200

/** Logs of the contract, newest first, of all events or of one. */
export function EventsTab({ address, contract }: Props): VNode {
  const [topic, setTopic] = useState('')
  const [until, setUntil] = useState('')
  const events = useMemo(() => eventsOf(contract?.abi ?? []), [contract])
  const to = until === '' ? undefined : Number(parseInteger(until) ?? Number.NaN)
  const isValid = to === undefined || (Number.isSafeInteger(to) && to >= 0)
  const query = useQuery<FoundLogs>(
    isValid ? `events ${address} ${topic} ${to}` : undefined,
    (ask) => searchLogs(ask, [{ address, topics: topic === '' ? [] : [topic] }], WANTED, to),
    { isLive: to === undefined },
  )
  return (
    <div class="stack">
      <div class="filters">
        <Field label="Event" value={topic} onInput={setTopic} choices={[['', 'all'], ...events]} />
        <Field
          label="Up to block"
          value={until}
          onInput={setUntil}
          placeholder="latest"
          error={isValid ? undefined : 'A block number.'}
        />
      </div>
      <Answer query={query} what="the logs">
        {(found) => <FoundList found={found} />}
      </Answer>
    </div>
  )
}

function FoundList({ found: { logs, from } }: { readonly found: FoundLogs }): VNode {
  return (
    <>
      {logs.length === 0 ? (
        <Empty title="No logs." />
      ) : (
        <More rows={logs} step={25}>
          {(shown) => (
            <ol class="logs">
              {shown.map((log) => (
                <li key={`${log.blockHash} ${log.logIndex}`} data-row="">
                  <p class="row">
                    <a href={`#/block/${count(log.blockNumber)}`}>Block {grouped(quantity(log.blockNumber))}</a>
                    <Hash value={log.transactionHash} kind="transaction" />
                  </p>
                  <LogItem log={log} />
                </li>
              ))}
            </ol>
          )}
        </More>
      )}
      <p class="muted">Blocks from {grouped(from)} on were searched.</p>
    </>
  )
}

/** Topic and signature of each event. */
function eventsOf(abi: readonly AbiEntry[]): (readonly [topic: string, signature: string])[] {
  return abi.flatMap(({ type, name = '', inputs = [] }) => {
    const types = type === 'event' ? abiTypes(inputs) : undefined
    if (types === undefined) return []
    const signature = `${name}(${types.map(canonicalName).join()})`
    return [[bytesToHex(keccak256(new TextEncoder().encode(signature))), signature] as const]
  })
}
