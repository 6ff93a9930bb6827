import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Section } from '../../components/Page.tsx'
import { useQuery } from '../../state/query.ts'
import type { TransactionData } from './TxView.tsx'

export function Raw({ data: { transaction, receipt } }: { readonly data: TransactionData }): VNode {
  const bytes = useQuery<string>(`raw ${transaction.hash}`, (ask) =>
    ask('eth_getRawTransactionByHash', transaction.hash),
  )
  return (
    <div class="stack">
      <RawText title="Transaction" text={JSON.stringify(transaction, null, 2)} />
      {receipt !== null && <RawText title="Receipt" text={JSON.stringify(receipt, null, 2)} />}
      <Answer query={bytes} what="the signed bytes">
        {(hex) => <RawText title="Signed bytes" text={hex} />}
      </Answer>
    </div>
  )
}

/** A longer text would make the page slow; the copy has all of it. */
const MAX_SHOWN = 20_000

function RawText({ title, text }: { readonly title: string; readonly text: string }): VNode {
  const isCut = text.length > MAX_SHOWN
  return (
    <Section title={title} actions={<CopyButton text={text} label={title.toLowerCase()} />}>
      <pre>{isCut ? `${text.slice(0, MAX_SHOWN)}…` : text}</pre>
      {isCut && <p class="muted">Cut here; the copy has all {text.length} characters.</p>}
    </Section>
  )
}
