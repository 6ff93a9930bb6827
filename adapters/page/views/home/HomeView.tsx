import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { Page } from '../../components/Page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { count } from '../../format/hex.ts'
import { blocks, head } from '../../state/live.ts'
import { Figures } from './Figures.tsx'
import { FirstTransaction } from './FirstTransaction.tsx'
import { LatestBlocks } from './LatestBlocks.tsx'
import { LatestTransactions } from './LatestTransactions.tsx'

export default function HomeView(): VNode {
  // A new head renders only the parts that show it.
  const isKnown = useComputed(() => head.value !== undefined)
  const isNew = useComputed(
    () => count(head.value?.number) <= 1 && blocks.value.every(({ transactions }) => transactions.length === 0),
  )
  return (
    <Page title="Overview">
      <div class="stack">
        <Figures />
        {/* The head tells what comes first, so nothing below has to move. */}
        {!isKnown.value ? (
          <Skeleton lines={12} />
        ) : (
          <>
            {isNew.value && <FirstTransaction />}
            <div class="columns wide">
              <LatestBlocks />
              <LatestTransactions />
            </div>
          </>
        )}
      </div>
    </Page>
  )
}
