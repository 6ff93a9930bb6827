import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { type Fact, Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Meter } from '../../components/Meter.tsx'
import { Section } from '../../components/Page.tsx'
import { Time } from '../../components/Time.tsx'
import { count, quantity } from '../../format/hex.ts'
import { byteSize, grouped } from '../../format/numbers.ts'
import { exactTime } from '../../format/time.ts'
import type { Block } from '../../rpc/types.ts'
import { ExtraDataFacts } from './ExtraDataFacts.tsx'

type AnyBlock = Block<unknown>

/** Every field of the header with what it means. */
export function BlockFacts({ block }: { readonly block: AnyBlock }): VNode {
  return (
    <div class="stack">
      <Section title="Block">
        <Facts facts={mainFacts(block)} />
      </Section>
      <details class="card">
        <summary>
          <h2>All header fields</h2>
        </summary>
        <Facts facts={[...consensusFacts(block), ...rootFacts(block)]} />
      </details>
      <ExtraDataFacts block={block} />
    </div>
  )
}

function mainFacts(block: AnyBlock): (Fact | false)[] {
  const { gasUsed, gasLimit, baseFeePerGas, blobGasUsed, excessBlobGas } = block
  return [
    { term: 'Hash', value: <Hash value={block.hash} isFull /> },
    { term: 'Parent', value: <Hash value={block.parentHash} kind="block" isFull /> },
    {
      term: 'Time',
      value: (
        <>
          {exactTime(count(block.timestamp))} (<Time seconds={count(block.timestamp)} />)
        </>
      ),
    },
    {
      term: 'Beneficiary',
      meaning: 'Receives the fees, and the reward if there is one.',
      value: <NamedAddress value={block.miner} isFull />,
    },
    {
      term: 'Gas',
      meaning: 'Used by all transactions, of the limit of the block.',
      value: (
        <>
          {grouped(quantity(gasUsed))} of {grouped(quantity(gasLimit))}{' '}
          <Meter label="Gas used" value={quantity(gasUsed)} total={quantity(gasLimit)} />
        </>
      ),
    },
    baseFeePerGas !== undefined && {
      term: 'Base fee',
      meaning: 'Price of gas that is burnt (EIP-1559).',
      value: (
        <>
          <Amount wei={baseFeePerGas} canCopy /> <span class="muted">burnt: </span>
          <Amount wei={quantity(baseFeePerGas) * quantity(gasUsed)} />
        </>
      ),
    },
    blobGasUsed !== undefined && {
      term: 'Blob gas',
      meaning: 'Used by blobs (EIP-4844), and the excess that sets their price.',
      value: `${grouped(quantity(blobGasUsed))}, excess ${grouped(quantity(excessBlobGas))}`,
    },
    block.size !== undefined && { term: 'Size', meaning: 'Of the block in RLP.', value: byteSize(count(block.size)) },
  ]
}

function consensusFacts(block: AnyBlock): (Fact | false)[] {
  return [
    {
      term: 'Difficulty',
      meaning: 'Work or turn of the block; 0 with proof of stake.',
      value: grouped(quantity(block.difficulty)),
    },
    block.totalDifficulty !== undefined && {
      term: 'Total difficulty',
      meaning: 'Of the chain up to this block.',
      value: grouped(quantity(block.totalDifficulty)),
    },
    block.nonce !== undefined && {
      term: 'Nonce',
      meaning: 'Proof of work, or the vote of Clique.',
      value: <code>{block.nonce}</code>,
    },
    block.mixHash !== undefined && {
      term: 'Mix hash',
      meaning: 'Proof of work, or the randomness of proof of stake (PREVRANDAO).',
      value: <Hash value={block.mixHash} isFull />,
    },
    block.parentBeaconBlockRoot !== undefined && {
      term: 'Parent beacon block root',
      meaning: 'Of the consensus layer (EIP-4788).',
      value: <Hash value={block.parentBeaconBlockRoot} isFull />,
    },
  ]
}

function rootFacts(block: AnyBlock): (Fact | false)[] {
  return [
    { term: 'State root', meaning: 'Of all accounts after the block.', value: <Hash value={block.stateRoot} isFull /> },
    { term: 'Transactions root', value: <Hash value={block.transactionsRoot} isFull /> },
    { term: 'Receipts root', value: <Hash value={block.receiptsRoot} isFull /> },
    block.withdrawalsRoot !== undefined && {
      term: 'Withdrawals root',
      meaning: 'EIP-4895',
      value: <Hash value={block.withdrawalsRoot} isFull />,
    },
    block.requestsHash !== undefined && {
      term: 'Requests hash',
      meaning: 'Of deposits, withdrawals and consolidations for the consensus layer (EIP-7685).',
      value: <Hash value={block.requestsHash} isFull />,
    },
    { term: 'Ommers hash', value: <Hash value={block.sha3Uncles} isFull /> },
    {
      term: 'Logs bloom',
      meaning: 'Filter of the addresses and topics of all logs.',
      value: <LogsBloom bloom={block.logsBloom} />,
    },
  ]
}

function LogsBloom({ bloom }: { readonly bloom: string }): VNode {
  return /^0x0*$/.test(bloom) ? <span class="muted">empty</span> : <code class="digits full">{bloom}</code>
}
