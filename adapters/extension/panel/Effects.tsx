import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { plainText } from '../../../src/abi/plainText.ts'
import { shortened } from '../../page/format/hex.ts'
import type { AccountChanges, Summary, Transfer } from '../../page/rpc/isonode.ts'
import { request } from './session.ts'

const MAX_LINES = 50
const MAX_TEXT = 300

/** Shows the effects of a transaction in the fork: a sentence, the tokens that moved, and the changes of the state. */
export function Effects({ hash }: { readonly hash: string }): VNode | null {
  const [summary, setSummary] = useState<Summary>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    request('isonode_summary', [hash]).then(
      (result) => setSummary(result as Summary),
      (error: Error) => setFault(error.message),
    )
  }, [hash])
  if (fault !== undefined) return <p class="note">{plainText(fault, MAX_TEXT)}</p>
  if (summary === undefined) return <p aria-busy="true">Asking the fork…</p>
  const lines = [...summary.transfers.map(transferText), ...summary.changes.flatMap(changeTexts)]
  return (
    <section class="effects" aria-label="Effects in the fork">
      <p>{plainText(summary.sentence, MAX_TEXT)}</p>
      <ul>
        {lines.slice(0, MAX_LINES).map((line, i) => (
          <li key={i}>{plainText(line, MAX_TEXT)}</li>
        ))}
      </ul>
    </section>
  )
}

function transferText({ standard, token, from, to, amount, tokenId }: Transfer): string {
  const unit = token === null ? 'wei' : `${standard} ${shortened(token)}${tokenId === undefined ? '' : ` #${tokenId}`}`
  return `${amount} ${unit}: ${shortened(from)} → ${shortened(to)}`
}

function changeTexts({ address, contract, balance, nonce, code, slots }: AccountChanges): string[] {
  const name = contract ?? shortened(address)
  return [
    ...(balance === null ? [] : [`${name} balance: ${BigInt(balance.before)} → ${BigInt(balance.after)}`]),
    ...(nonce === null ? [] : [`${name} nonce: ${BigInt(nonce.before)} → ${BigInt(nonce.after)}`]),
    ...(code === null ? [] : [`${name} has new code`]),
    ...slots.map(
      ({ slot, variable, before, after, beforeText, afterText }) =>
        `${name} ${variable ?? `slot ${shortened(slot)}`}: ${beforeText ?? shortened(before)} → ${afterText ?? shortened(after)}`,
    ),
  ]
}
