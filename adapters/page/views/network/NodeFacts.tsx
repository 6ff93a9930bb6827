import type { VNode } from 'preact'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Meter } from '../../components/Meter.tsx'
import { Section } from '../../components/Page.tsx'
import { Time } from '../../components/Time.tsx'
import { count, quantity } from '../../format/hex.ts'
import { grouped } from '../../format/numbers.ts'
import type { Ask } from '../../rpc/ask.ts'
import { head } from '../../state/live.ts'
import { capabilities, chainId } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { shortEnode } from './enode.ts'

interface Syncing {
  readonly startingBlock: string
  readonly currentBlock: string
  readonly highestBlock: string
}

interface NodeState {
  readonly syncing: false | Syncing | undefined
  readonly peerCount: string | undefined
  readonly enode: string | undefined
  readonly networkId: string | undefined
}

/** Facts about the node, and how far it has followed its network. */
export function NodeFacts(): VNode {
  const { data } = useQuery<NodeState>('node', askNode, { isLive: true })
  const block = head.value
  return (
    <Section title="Node">
      <Facts
        facts={[
          { term: 'Client', value: capabilities.value.client || 'not known' },
          { term: 'Chain', value: chainId.value === undefined ? '–' : `id ${chainId.value}` },
          data?.networkId !== undefined &&
            data.networkId !== chainId.value?.toString() && { term: 'Network', value: `id ${data.networkId}` },
          {
            term: 'Synchronisation',
            value: <Progress syncing={data?.syncing} />,
          },
          {
            term: 'Head',
            value: block && (
              <>
                <a href={`#/block/${count(block.number)}`}>{grouped(quantity(block.number))}</a>,{' '}
                <Time seconds={count(block.timestamp)} />
              </>
            ),
          },
          data?.peerCount !== undefined && { term: 'Peers', value: grouped(quantity(data.peerCount)) },
          data?.enode !== undefined && {
            term: 'Enode',
            meaning: 'The address of this node for its peers.',
            value: (
              <span class="hash">
                <span class="digits">{shortEnode(data.enode)}</span>
                <CopyButton text={data.enode} label="enode URL" />
              </span>
            ),
          },
        ]}
      />
    </Section>
  )
}

function Progress({ syncing }: { readonly syncing: false | Syncing | undefined }): VNode {
  if (syncing === undefined) return <span class="muted">not known</span>
  if (syncing === false) return <>The node is where its peers are, or has none.</>
  const [from, now, to] = [syncing.startingBlock, syncing.currentBlock, syncing.highestBlock].map(quantity)
  const [start = 0n, current = 0n, highest = 0n] = [from, now, to]
  return (
    <>
      <Meter label="Blocks imported" value={current - start} total={highest - start} /> block {grouped(current)} of{' '}
      {grouped(highest)}
    </>
  )
}

async function askNode(ask: Ask): Promise<NodeState> {
  const [syncing, peerCount, enode, networkId] = await Promise.all([
    ask<false | Syncing>('eth_syncing').catch(() => undefined),
    ask<string>('net_peerCount').catch(() => undefined),
    // Fails on a node without a network.
    ask<string>('net_enode').catch(() => undefined),
    ask<string>('net_version').catch(() => undefined),
  ])
  return { syncing, peerCount, enode, networkId }
}
