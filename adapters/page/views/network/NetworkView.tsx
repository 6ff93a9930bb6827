import type { VNode } from 'preact'
import { Page } from '../../components/Page.tsx'
import { offers } from '../../rpc/capabilities.ts'
import { capabilities } from '../../state/node.ts'
import { ENGINES } from './engines.ts'
import { NodeFacts } from './NodeFacts.tsx'
import { Peers } from './Peers.tsx'
import { Permissions } from './Permissions.tsx'
import { Validators } from './Validators.tsx'

export default function NetworkView(): VNode {
  const { groups } = capabilities.value
  // A node that does not tell its groups is not asked for the methods of each engine.
  const engines = ENGINES.filter(({ group }) => groups?.has(group))
  return (
    <Page title="Network">
      <div class="stack">
        <NodeFacts />
        <Peers />
        {engines.map((engine) => (
          <Validators key={engine.group} engine={engine} />
        ))}
        {groups !== undefined && offers(capabilities.value, 'perm') && <Permissions />}
      </div>
    </Page>
  )
}
