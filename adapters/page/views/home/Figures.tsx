import type { ComponentChildren, VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { Sparkline } from '../../components/Sparkline.tsx'
import { Time } from '../../components/Time.tsx'
import { count, quantity } from '../../format/hex.ts'
import { grouped, percent } from '../../format/numbers.ts'
import { offers } from '../../rpc/capabilities.ts'
import type { Block } from '../../rpc/types.ts'
import { blocks, head } from '../../state/live.ts'
import { capabilities } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'

/** The head and what goes on around it, with the last blocks as small charts. */
export function Figures(): VNode {
  const block = head.value
  const oldestFirst = blocks.value.toReversed()
  return (
    <section class="figures" aria-label="Figures">
      <Figure title="Head">
        {block && (
          <>
            <a class="big" href={`#/block/${count(block.number)}`}>
              {grouped(quantity(block.number))}
            </a>
            <Time seconds={count(block.timestamp)} />
          </>
        )}
      </Figure>
      <Figure title="Gas used">
        {block && (
          <>
            <span class="big">{percent(quantity(block.gasUsed), quantity(block.gasLimit))}</span>
            <Sparkline
              label="Share of the gas limit that the latest blocks used"
              values={oldestFirst.map((one) => Number(one.gasUsed) / Math.max(1, Number(one.gasLimit)))}
              max={1}
            />
          </>
        )}
      </Figure>
      {(block === undefined || block.baseFeePerGas !== undefined) && (
        <Figure title="Base fee">
          {block?.baseFeePerGas !== undefined && (
            <>
              <span class="big">
                <Amount wei={block.baseFeePerGas} />
              </span>
              <Sparkline
                label="Base fee of the latest blocks"
                values={oldestFirst.map((one) => Number(one.baseFeePerGas ?? 0))}
              />
            </>
          )}
        </Figure>
      )}
      <Figure title="Block time">
        {block && (
          <>
            <span class="big">{averageTime(oldestFirst)}</span>
            <Sparkline label="Seconds between the latest blocks" values={blockTimes(oldestFirst)} />
          </>
        )}
      </Figure>
      <PoolFigure />
      <PeersFigure />
      <ValidatorsFigure />
    </section>
  )
}

function Figure({ title, children }: { readonly title: string; readonly children: ComponentChildren }): VNode {
  return (
    <div class="figure">
      <h2>{title}</h2>
      {children || <span class="bone bone-1" />}
    </div>
  )
}

function PoolFigure(): VNode | null {
  const isOffered = offers(capabilities.value, 'txpool')
  const { data, phase } = useQuery<{ readonly pending: string; readonly queued?: string }>(
    isOffered ? 'pool' : undefined,
    (ask) => ask('txpool_status'),
    { isLive: true },
  )
  if (data === undefined && (!isOffered || phase !== 'loading')) return null
  return (
    <Figure title="Pool">
      {data && (
        <>
          <span class="big">{grouped(quantity(data.pending))}</span>
          <span class="muted">waiting, {grouped(quantity(data.queued))} queued</span>
        </>
      )}
    </Figure>
  )
}

function PeersFigure(): VNode | null {
  const { data } = useQuery<string>('peers', (ask) => ask('net_peerCount'))
  if (data === undefined || quantity(data) === 0n) return null
  return (
    <Figure title="Peers">
      <span class="big">{grouped(quantity(data))}</span>
    </Figure>
  )
}

/** Groups of the engines whose blocks a known set of accounts makes, with the method that lists them. */
const LISTS = [
  ['qbft', 'Validators', 'qbft_getValidatorsByBlockNumber'],
  ['ibft', 'Validators', 'ibft_getValidatorsByBlockNumber'],
  ['clique', 'Signers', 'clique_getSigners'],
] as const

function ValidatorsFigure(): VNode | null {
  const [, title, method] = LISTS.find(([group]) => capabilities.value.groups?.has(group)) ?? []
  const { data } = useQuery<readonly string[]>(method, (ask) => ask(method ?? '', 'latest'), { isLive: true })
  if (data === undefined || title === undefined) return null
  return (
    <Figure title={title}>
      <span class="big">{grouped(data.length)}</span>
    </Figure>
  )
}

/** Seconds between neighbours. The time of a genesis block, often that of 1970, says nothing. */
function blockTimes(oldestFirst: readonly Block[]): number[] {
  const times = oldestFirst.filter(({ number }) => count(number) > 0).map(({ timestamp }) => count(timestamp))
  return times.slice(1).map((time, i) => time - (times[i] as number))
}

function averageTime(oldestFirst: readonly Block[]): string {
  const times = blockTimes(oldestFirst)
  if (times.length === 0) return '–'
  const average = times.reduce((sum, seconds) => sum + seconds, 0) / times.length
  return `${average.toFixed(average < 10 ? 1 : 0)} s`
}
