import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Address, Hash } from '../../components/Hash.tsx'
import { Section } from '../../components/Page.tsx'
import { byteLength } from '../../format/hex.ts'
import { byteSize } from '../../format/numbers.ts'
import type { Block } from '../../rpc/types.ts'
import { readExtraData } from './extraData.ts'

const NAMES = { clique: 'Clique', ibft2: 'IBFT 2.0', qbft: 'QBFT' } as const

/** The extra data, read as signers, votes, round and seals where an engine keeps them there. */
export function ExtraDataFacts({ block }: { readonly block: Block<unknown> }): VNode | null {
  const extra = useMemo(() => readExtraData(block), [block])
  const length = byteLength(block.extraData)
  if (length === 0) return null
  const raw = {
    term: 'Bytes',
    value: (
      <>
        <code class="digits full">{length > 256 ? `${block.extraData.slice(0, 514)}…` : block.extraData}</code>{' '}
        <span class="muted">{byteSize(length)}</span> <CopyButton text={block.extraData} label="extra data" />
      </>
    ),
  }
  if (extra.kind === 'text') {
    return (
      <Section title="Extra data">
        <Facts facts={[extra.text !== undefined && { term: 'Text', value: extra.text }, raw]} />
      </Section>
    )
  }
  const { kind, members, vote, round, seals } = extra
  return (
    <Section title={`Extra data of ${NAMES[kind]}`}>
      <Facts
        facts={[
          members.length > 0 && {
            term: kind === 'clique' ? 'Signers' : 'Validators',
            value: <Members addresses={members} />,
          },
          round !== undefined && {
            term: 'Round',
            meaning: 'In which the validators agreed; 0 is the first.',
            value: round,
          },
          {
            term: 'Vote',
            value: vote ? (
              <>
                {vote.isAdd ? 'Add' : 'Remove'} <Address value={vote.recipient} />
              </>
            ) : (
              'none'
            ),
          },
          { term: kind === 'clique' ? 'Seal' : 'Commit seals', value: <Seals seals={seals} /> },
          raw,
        ]}
      />
    </Section>
  )
}

function Members({ addresses }: { readonly addresses: readonly string[] }): VNode {
  return (
    <ul class="plain">
      {addresses.map((address) => (
        <li key={address}>
          <Address value={address} />
        </li>
      ))}
    </ul>
  )
}

function Seals({ seals }: { readonly seals: readonly string[] }): VNode {
  return (
    <ul class="plain">
      {seals.map((seal) => (
        <li key={seal}>
          <Hash value={seal} />
        </li>
      ))}
    </ul>
  )
}
