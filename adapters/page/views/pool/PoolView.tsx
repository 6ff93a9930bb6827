import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { More } from '../../components/More.tsx'
import { Page } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { grouped } from '../../format/numbers.ts'
import type { Ask } from '../../rpc/ask.ts'
import { isIsonode, offers } from '../../rpc/capabilities.ts'
import type { Transaction } from '../../rpc/types.ts'
import { requestFirst, useAction } from '../../state/action.ts'
import { capabilities } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { PoolSender } from './PoolSender.tsx'
import { bySender, listOf, type PoolContent, type Sender } from './waiting.ts'

/** The whole of a larger pool would be an answer of many megabytes. */
const MAX_WHOLE = 2000
const SENDERS_SHOWN = 20

interface Pool {
  readonly senders: readonly Sender[]
  readonly size: number
  /** Smaller than `size` for a large pool. */
  readonly listed: number
}

export default function PoolView(): VNode {
  const query = useQuery<Pool>('pool', askPool, { isLive: true })
  const isDev = isIsonode(capabilities.value) && offers(capabilities.value, 'dev')
  const { isBusy, error, run } = useAction()
  const dropAll = (): void =>
    run(async () => {
      await requestFirst(['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'], [])
      query.retry()
      return 'The pool is empty.'
    })
  return (
    <Page
      title="Pool"
      actions={
        isDev &&
        (query.data?.size ?? 0) > 0 && (
          <Button kind="danger" isBusy={isBusy} onClick={dropAll}>
            Drop all
          </Button>
        )
      }
    >
      {error && <p class="error-text">{error}</p>}
      <Answer query={query} what="the transactions of the pool">
        {({ senders, size, listed }) =>
          size === 0 ? (
            <Empty title="No transaction waits.">
              {isDev && (
                <p>
                  On this dev chain each one is mined at once, unless <a href="#/dev">automine</a> is off.
                </p>
              )}
            </Empty>
          ) : (
            <div class="stack">
              <p class="muted">
                {grouped(size)} {size === 1 ? 'transaction' : 'transactions'} of {grouped(senders.length)}{' '}
                {senders.length === 1 ? 'sender' : 'senders'}
                {listed < size && `; ${grouped(listed)} of them are listed`}.
              </p>
              <More rows={senders} step={SENDERS_SHOWN}>
                {(shown) =>
                  shown.map((sender) => (
                    <PoolSender key={sender.address} sender={sender} isDev={isDev} onDropped={query.retry} />
                  ))
                }
              </More>
            </div>
          )
        }
      </Answer>
    </Page>
  )
}

async function askPool(ask: Ask): Promise<Pool> {
  const status = await ask<{ readonly pending: string | number; readonly queued?: string | number }>('txpool_status')
  const size = Number(status.pending) + Number(status.queued ?? 0)
  if (size === 0) return { senders: [], size: 0, listed: 0 }
  const isLarge = size > MAX_WHOLE && isIsonode(capabilities.value)
  const list = isLarge
    ? await ask<Transaction[]>('txpool_nodePendingTransactions', MAX_WHOLE)
    : listOf(await ask<PoolContent>('txpool_content'))
  return { senders: bySender(list), size: Math.max(size, list.length), listed: list.length }
}
