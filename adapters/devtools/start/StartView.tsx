import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { ErrorBox } from '../../page/components/states.tsx'
import { ThemeSwitch } from '../../page/components/ThemeSwitch.tsx'
import { EXPECTED, isNodeUrl, queryOf } from '../address.ts'
import type { WorkerNode } from '../node/workerNode.ts'
import { ForkSection } from './ForkSection.tsx'
import { NewChain } from './NewChain.tsx'
import { PlaceForm } from './PlaceForm.tsx'
import { SavedChains, useSavedChains } from './SavedChains.tsx'

interface Props {
  readonly node: WorkerNode
  readonly problem: string | undefined
}

export function StartView({ node, problem }: Props): VNode {
  const saved = useSavedChains(node)
  useEffect(() => {
    document.title = 'Choose a chain · isonode'
  }, [])
  return (
    <>
      <header class="top start-top">
        <a class="brand" href="./">
          isonode
        </a>
        <ThemeSwitch />
      </header>
      <main class="start">
        <h1 tabIndex={-1}>Choose a chain</h1>
        {problem && <ErrorBox title="This chain cannot be shown." text={problem} />}
        <p class="muted">
          The node runs in this browser. Nothing leaves it, unless you fork a chain or connect to a node.
        </p>
        <SavedChains saved={saved} />
        <div class="columns">
          <NewChain names={saved.chains?.map(({ database }) => database) ?? []} />
          <ForkSection />
          <PlaceForm
            title="Connect to a node"
            text="Shows the chain of a running node, which has to allow the origin of this page."
            fields={[
              {
                name: 'rpc',
                label: 'Address of the node',
                initial: 'http://127.0.0.1:8545',
                accepts: isNodeUrl,
                expected: EXPECTED.nodeUrl,
              },
            ]}
            submit="Connect"
            queryFor={queryOf}
          />
        </div>
      </main>
    </>
  )
}
