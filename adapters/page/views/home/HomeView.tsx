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
  const isNew = count(head.value?.number) <= 1 && blocks.value.every(({ transactions }) => transactions.length === 0)
  return (
    <Page title="Overview">
      <div class="stack">
        <Figures />
        {/* The head tells what comes first, so nothing below has to move. */}
        {head.value === undefined ? (
          <Skeleton lines={12} />
        ) : (
          <>
            {isNew && <FirstTransaction />}
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
