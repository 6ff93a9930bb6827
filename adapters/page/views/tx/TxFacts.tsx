import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { DecodedItem } from '../../components/DecodedCall.tsx'
import { type Fact, Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Meter } from '../../components/Meter.tsx'
import { Section } from '../../components/Page.tsx'
import { Time } from '../../components/Time.tsx'
import { byteLength, count, quantity } from '../../format/hex.ts'
import { byteSize, grouped } from '../../format/numbers.ts'
import { exactTime } from '../../format/time.ts'
import type { Summary } from '../../rpc/isonode.ts'
import { decodedCall } from '../../state/meaning.ts'
import { feeParts } from './fees.ts'
import type { TransactionData } from './TxView.tsx'

interface Props {
  readonly data: TransactionData
  readonly summary: Summary | undefined
}

const TYPES: Readonly<Record<string, string>> = {
  '0x0': 'legacy',
  '0x1': 'with access list (EIP-2930)',
  '0x2': 'with base fee (EIP-1559)',
  '0x3': 'with blobs (EIP-4844)',
  '0x4': 'sets code (EIP-7702)',
}

export function TxFacts({ data, summary }: Props): VNode {
  return (
    <div class="columns">
      <Section title="Transaction">
        <Facts facts={whatFacts(data, summary)} />
      </Section>
      <Section title="Fee and block">
        <Facts facts={[...feeFacts(data), ...placeFacts(data)]} />
      </Section>
    </div>
  )
}

function whatFacts(
  { transaction, receipt }: TransactionData,
  summary: Summary | undefined,
): (Fact | false | undefined)[] {
  const { hash, from, to, value, input } = transaction
  const created = receipt?.contractAddress
  const error = summary?.error
  return [
    { term: 'Hash', value: <Hash value={hash} isFull /> },
    { term: 'From', value: <NamedAddress value={from} isFull /> },
    to === null
      ? { term: 'Creates', value: created ? <NamedAddress value={created} isFull /> : 'a contract' }
      : { term: 'To', value: <NamedAddress value={to} isFull /> },
    { term: 'Value', value: <Amount wei={value} canCopy /> },
    byteLength(input) > 0 && {
      term: to === null ? 'Init code' : 'Call',
      value: <Input input={input} to={to} summary={summary} />,
    },
    error !== undefined && error !== null && { term: 'Error', value: <DecodedItem decoded={error} /> },
    !error && summary?.errorText
      ? { term: 'Error', value: <span class="error-text">{summary.errorText}</span> }
      : undefined,
  ]
}

function Input({
  input,
  to,
  summary,
}: {
  readonly input: string
  readonly to: string | null
  readonly summary: Summary | undefined
}): VNode {
  const decoded = summary?.call ?? (to === null ? null : decodedCall(input, to).value)
  if (decoded) return <DecodedItem decoded={decoded} />
  return (
    <>
      <Hash value={input} /> <span class="muted">{byteSize(byteLength(input))}</span>
    </>
  )
}

function feeFacts({ transaction, receipt, block }: TransactionData): (Fact | false | undefined)[] {
  const limit = quantity(transaction.gas)
  const used = receipt === null ? undefined : quantity(receipt.gasUsed)
  const fees = receipt === null ? undefined : feeParts(transaction, receipt, block)
  return [
    {
      term: 'Gas',
      meaning: used === undefined ? 'Limit.' : 'Used, of the limit.',
      value:
        used === undefined ? (
          grouped(limit)
        ) : (
          <>
            {grouped(used)} of {grouped(limit)} <Meter label="Gas used" value={used} total={limit} />
          </>
        ),
    },
    fees && { term: 'Fee', value: <Amount wei={fees.total} canCopy /> },
    fees?.burnt !== undefined && {
      term: 'Burnt',
      meaning: 'Base fee for each unit of gas.',
      value: <Amount wei={fees.burnt} />,
    },
    fees && { term: 'Tip', meaning: 'For the beneficiary of the block.', value: <Amount wei={fees.tip} /> },
    fees?.blobs !== undefined && { term: 'Blobs', meaning: 'Burnt for blob gas.', value: <Amount wei={fees.blobs} /> },
    receipt?.effectiveGasPrice !== undefined && {
      term: 'Gas price',
      value: <Amount wei={receipt.effectiveGasPrice} canCopy />,
    },
    transaction.maxFeePerGas !== undefined && {
      term: 'Offered',
      meaning: 'At most for gas, and of that at most as a tip.',
      value: (
        <>
          <Amount wei={transaction.maxFeePerGas} />, <Amount wei={transaction.maxPriorityFeePerGas ?? '0x0'} />
        </>
      ),
    },
  ]
}

function placeFacts({ transaction, block }: TransactionData): (Fact | false)[] {
  const {
    type = '0x0',
    nonce,
    blockNumber,
    transactionIndex,
    accessList,
    authorizationList,
    blobVersionedHashes,
  } = transaction
  return [
    blockNumber !== null && {
      term: 'Block',
      value: (
        <>
          <a href={`#/block/${count(blockNumber)}`}>{grouped(quantity(blockNumber))}</a>, place{' '}
          {count(transactionIndex)}
        </>
      ),
    },
    block !== null && {
      term: 'Time',
      value: (
        <>
          {exactTime(count(block.timestamp))} (<Time seconds={count(block.timestamp)} />)
        </>
      ),
    },
    { term: 'Type', value: `${count(type)}, ${TYPES[type] ?? 'unknown'}` },
    { term: 'Nonce', meaning: 'Number of the sender’s transactions before this one.', value: grouped(quantity(nonce)) },
    accessList !== undefined &&
      accessList.length > 0 && { term: 'Access list', value: <AccessList data={accessList} /> },
    authorizationList !== undefined && {
      term: 'Authorisations',
      meaning: 'Accounts that take over the code of another address.',
      value: (
        <ul class="plain">
          {authorizationList.map((item) => (
            <li key={`${item.address} ${item.nonce} ${item.r}`}>
              <NamedAddress value={item.address} /> <span class="muted">nonce {count(item.nonce)}</span>
            </li>
          ))}
        </ul>
      ),
    },
    blobVersionedHashes !== undefined && {
      term: 'Blobs',
      value: (
        <ul class="plain">
          {blobVersionedHashes.map((hash) => (
            <li key={hash}>
              <Hash value={hash} />
            </li>
          ))}
        </ul>
      ),
    },
  ]
}

const MAX_ITEMS = 20

function AccessList({
  data,
}: {
  readonly data: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
}): VNode {
  return (
    <ul class="plain">
      {data.slice(0, MAX_ITEMS).map(({ address, storageKeys }) => (
        <li key={address}>
          <NamedAddress value={address} /> <span class="muted">{storageKeys.length} slots</span>
        </li>
      ))}
      {data.length > MAX_ITEMS && <li class="muted">{data.length - MAX_ITEMS} more, see Raw</li>}
    </ul>
  )
}
