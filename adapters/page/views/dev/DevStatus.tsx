import type { VNode } from 'preact'
import { Facts } from '../../components/Facts.tsx'
import { Section } from '../../components/Page.tsx'
import { Time } from '../../components/Time.tsx'
import { count, quantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import { exactTime } from '../../format/time.ts'
import { head } from '../../state/live.ts'
import { useDevSettings } from './settings.ts'

/** How the chain makes blocks now. */
export function DevStatus(): VNode {
  const { automine, intervalSeconds, forkedNetwork } = useDevSettings()
  const block = head.value
  return (
    <Section title="Now">
      <Facts
        facts={[
          {
            term: 'Head',
            value: block && <a href={`#/block/${count(block.number)}`}>{grouped(quantity(block.number))}</a>,
          },
          {
            term: 'Time of the head',
            value: block && (
              <>
                {exactTime(count(block.timestamp))}, <Time seconds={count(block.timestamp)} />
              </>
            ),
          },
          {
            term: 'Blocks are made',
            value: miningText(automine, intervalSeconds),
          },
          forkedNetwork != null && {
            term: 'Continues',
            value: `chain ${forkedNetwork.chainId} from block ${grouped(forkedNetwork.forkBlockNumber)}`,
          },
        ]}
      />
    </Section>
  )
}

function miningText(automine: boolean | undefined, intervalSeconds: number | null | undefined): string {
  const ways = [
    automine === true && 'for each transaction',
    intervalSeconds != null && intervalSeconds > 0 && `every ${intervalSeconds} s`,
  ].filter((way) => way !== false)
  if (ways.length > 0) return ways.join(' and ')
  return automine === undefined ? 'not known' : 'on request only'
}
