import type { VNode } from 'preact'
import { ActionForm } from '../../components/ActionForm.tsx'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Hash } from '../../components/Hash.tsx'
import { More } from '../../components/More.tsx'
import { Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { isHash, shortened } from '../../format/hex.ts'
import { useAction } from '../../state/action.ts'
import { request } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { ENODE, shortEnode } from './enode.ts'

/** As admin_peers answers; other clients leave parts out. */
interface Peer {
  readonly id: string
  readonly name?: string
  readonly enode?: string
  readonly caps?: readonly string[]
  readonly network?: { readonly remoteAddress?: string; readonly inbound?: boolean }
  readonly protocols?: { readonly eth?: { readonly head?: string; readonly version?: number } | string }
}

export function Peers(): VNode {
  const query = useQuery<readonly Peer[]>('peers', (ask) => ask('admin_peers'), { isLive: true })
  return (
    <Section title="Peers">
      <Answer query={query} what="the peers">
        {(peers) =>
          peers.length === 0 ? (
            <Empty title="No peers." />
          ) : (
            <More rows={peers}>
              {(shown) => <Table label="Peers" columns={columnsOf(query.retry)} rows={shown} keyOf={({ id }) => id} />}
            </More>
          )
        }
      </Answer>
      {query.phase === 'ready' && (
        <ActionForm
          title="Add a peer"
          text="The node stays connected to it."
          submit="Add"
          fields={[{ label: 'Enode URL', kind: ENODE, placeholder: 'enode://…@127.0.0.1:30303' }]}
          run={async ([enode]) => {
            const isNew = await request<boolean>('admin_addPeer', [enode])
            query.retry()
            return isNew ? 'The peer is added.' : 'The peer was in the list, or is this node.'
          }}
        />
      )}
    </Section>
  )
}

function columnsOf(onRemoved: () => void): readonly Column<Peer>[] {
  return [
    { title: 'Client', render: ({ name = '' }) => <span title={name}>{clientName(name)}</span> },
    { title: 'Address', render: ({ network }) => <code>{network?.remoteAddress ?? '–'}</code> },
    { title: 'Protocols', render: ({ caps = [] }) => caps.slice(0, 8).join(', ') },
    {
      title: 'Head',
      render: ({ protocols }) => {
        const head = typeof protocols?.eth === 'object' ? protocols.eth.head : undefined
        return head !== undefined && isHash(head) ? <Hash value={head} kind="block" /> : '–'
      },
    },
    {
      title: 'Enode',
      render: ({ enode, id }) => (
        <span class="hash">
          <span class="digits">{enode === undefined ? shortened(id) : shortEnode(enode)}</span>
          {enode && <CopyButton text={enode} label="enode URL" />}
        </span>
      ),
    },
    {
      title: '',
      isNumber: true,
      render: ({ enode }) => enode && <RemoveButton enode={enode} onRemoved={onRemoved} />,
    },
  ]
}

/** `isonode/v0.1.0`: the rest of the name is in the title. */
function clientName(name: string): string {
  return name.split('/').slice(0, 2).join('/').slice(0, 48)
}

function RemoveButton({ enode, onRemoved }: { readonly enode: string; readonly onRemoved: () => void }): VNode {
  const { isBusy, error, run } = useAction()
  const remove = (): void =>
    run(async () => {
      const isListed = await request<boolean>('admin_removePeer', [enode])
      onRemoved()
      return isListed ? 'The peer is removed.' : 'The peer is not in the list of those to stay connected to.'
    })
  return (
    <>
      <Button isBusy={isBusy} label={`Remove the peer ${enode.slice(0, 24)}`} onClick={remove}>
        Remove
      </Button>
      {error && <p class="error-text">{error}</p>}
    </>
  )
}
