import type { VNode } from 'preact'
import { ActionForm } from '../../components/ActionForm.tsx'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { More } from '../../components/More.tsx'
import { Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { ADDRESS, type InputKind } from '../../format/inputKinds.ts'
import { RpcError } from '../../rpc/errors.ts'
import { useAction } from '../../state/action.ts'
import { request } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { ENODE, shortEnode } from './enode.ts'

interface List {
  readonly title: string
  readonly addTitle: string
  readonly get: string
  readonly add: string
  readonly remove: string
  readonly label: string
  readonly kind: InputKind
  readonly render: (entry: string) => VNode
}

const LISTS: readonly List[] = [
  {
    title: 'Accounts that may send transactions',
    addTitle: 'Allow an account',
    get: 'perm_getAccountsAllowlist',
    add: 'perm_addAccountsToAllowlist',
    remove: 'perm_removeAccountsFromAllowlist',
    label: 'Account',
    kind: ADDRESS,
    render: (account) => <NamedAddress value={account} />,
  },
  {
    title: 'Nodes that may connect',
    addTitle: 'Allow a node',
    get: 'perm_getNodesAllowlist',
    add: 'perm_addNodesToAllowlist',
    remove: 'perm_removeNodesFromAllowlist',
    label: 'Enode URL',
    kind: ENODE,
    render: (enode) => (
      <span class="hash">
        <code>{shortEnode(enode)}</code>
        <CopyButton text={enode} label="enode URL" />
      </span>
    ),
  },
]

/** The allowlists of the node. Nothing is shown of a list that the node does not have. */
export function Permissions(): VNode {
  return (
    <>
      {LISTS.map((list) => (
        <Allowlist key={list.get} list={list} />
      ))}
    </>
  )
}

function Allowlist({ list }: { readonly list: List }): VNode | null {
  const query = useQuery<readonly string[]>(list.get, (ask) => ask(list.get))
  const { isBusy, error, run } = useAction()
  const isEnabled = !(query.error instanceof RpcError)
  if (!isEnabled) return null
  const remove = (entry: string): void =>
    run(async () => {
      await request(list.remove, [[entry]])
      query.retry()
      return 'The entry is removed.'
    })
  return (
    <Section title={list.title}>
      <Answer query={query} what="the allowlist">
        {(entries) =>
          entries.length === 0 ? (
            <Empty title="The list is empty." />
          ) : (
            <More rows={entries}>
              {(shown) => (
                <ul class="plain">
                  {shown.map((entry) => (
                    <li key={entry} class="row" data-row="">
                      {list.render(entry)}
                      <Button isBusy={isBusy} label={`Remove ${entry.slice(0, 50)}`} onClick={() => remove(entry)}>
                        Remove
                      </Button>
                    </li>
                  ))}
                </ul>
              )}
            </More>
          )
        }
      </Answer>
      {error && <p class="error-text">{error}</p>}
      <ActionForm
        title={list.addTitle}
        submit="Add"
        fields={[{ label: list.label, kind: list.kind }]}
        run={async ([entry]) => {
          await request(list.add, [[entry]])
          query.retry()
          return 'The entry is added.'
        }}
      />
    </Section>
  )
}
