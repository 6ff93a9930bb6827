import type { VNode } from 'preact'
import { Page } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { Tabs } from '../../components/Tabs.tsx'
import type { ViewProps } from '../../routes.ts'
import { offers } from '../../rpc/capabilities.ts'
import { capabilities } from '../../state/node.ts'
import { setSearch } from '../../state/router.ts'
import { AccountForms } from './AccountForms.tsx'
import { BlockForms } from './BlockForms.tsx'
import { ChainForms } from './ChainForms.tsx'
import { DevStatus } from './DevStatus.tsx'
import { Impersonation } from './Impersonation.tsx'
import { Snapshots } from './Snapshots.tsx'
import { StateFile } from './StateFile.tsx'
import { TimeForms } from './TimeForms.tsx'

const TABS = [
  {
    id: 'blocks',
    label: 'Blocks and time',
    render: () => (
      <div class="columns">
        <BlockForms />
        <TimeForms />
      </div>
    ),
  },
  { id: 'snapshots', label: 'Snapshots', render: () => <Snapshots /> },
  {
    id: 'accounts',
    label: 'Accounts',
    render: () => (
      <div class="columns">
        <AccountForms />
        <Impersonation />
      </div>
    ),
  },
  {
    id: 'chain',
    label: 'Chain',
    render: () => (
      <div class="columns">
        <ChainForms />
        <StateFile />
      </div>
    ),
  },
]

/** Everything that only a dev chain allows. */
export default function DevView({ search }: ViewProps): VNode {
  if (!offers(capabilities.value, 'dev')) {
    return (
      <Page title="Dev chain">
        <Empty title="This is not a dev chain.">
          <p>Blocks, time and state can be changed on a dev chain only: start the node with --network=dev.</p>
        </Empty>
      </Page>
    )
  }
  return (
    <Page title="Dev chain">
      <DevStatus />
      <Tabs
        label="Parts of the dev chain"
        tabs={TABS}
        active={search.get('tab')}
        onSelect={(tab) => setSearch({ tab })}
      />
    </Page>
  )
}
