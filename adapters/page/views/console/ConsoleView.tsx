import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Page } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { Tabs } from '../../components/Tabs.tsx'
import type { ViewProps } from '../../routes.ts'
import { useQuery } from '../../state/query.ts'
import { setSearch } from '../../state/router.ts'
import { Batch } from './Batch.tsx'
import { type Method, readDocument } from './document.ts'
import { FreeForm } from './FreeForm.tsx'
import { History } from './History.tsx'
import { MethodForm } from './MethodForm.tsx'
import { MethodList } from './MethodList.tsx'
import { batch, history } from './requests.ts'
import { Subscriptions } from './Subscriptions.tsx'
import { subscriptions, unsubscribe } from './subscriptions.ts'

export default function ConsoleView({ search }: ViewProps): VNode {
  useEffect(() => () => subscriptions.peek().forEach(({ id }) => void unsubscribe(id)), [])
  const tabs = [
    { id: 'methods', label: 'Methods', render: () => <Methods active={search.get('method') ?? undefined} /> },
    { id: 'batch', label: 'Batch', count: batch.value.length, render: () => <Batch /> },
    {
      id: 'subscriptions',
      label: 'Subscriptions',
      count: subscriptions.value.length,
      render: () => <Subscriptions />,
    },
    { id: 'history', label: 'History', count: history.value.length, render: () => <History /> },
  ]
  return (
    <Page title="Console">
      <Tabs
        label="Parts of the console"
        tabs={tabs}
        active={search.get('tab')}
        onSelect={(tab) => setSearch({ tab: tab === 'methods' ? undefined : tab })}
      />
    </Page>
  )
}

function Methods({ active }: { readonly active: string | undefined }): VNode {
  const query = useQuery<readonly Method[]>('methods', async (ask) => readDocument(await ask('rpc.discover')))
  if (query.phase === 'refused' || query.phase === 'failed') {
    return (
      <div class="stack">
        <Empty title="This node does not describe its methods." />
        <FreeForm />
      </div>
    )
  }
  return (
    <Answer query={query} what="the description of the methods">
      {(methods) => {
        const method = methods.find(({ name }) => name === active)
        return (
          <div class="console">
            <MethodList methods={methods} active={active} />
            {method === undefined ? <FreeForm /> : <MethodForm key={method.name} method={method} />}
          </div>
        )
      }}
    </Answer>
  )
}
