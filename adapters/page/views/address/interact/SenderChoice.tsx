import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../../components/Button.tsx'
import { Field } from '../../../components/Field.tsx'
import { checksummed } from '../../../format/hex.ts'
import { notify } from '../../../state/announcer.ts'
import { connect, findWallets, nodeAccounts, type Sender, type Wallet, wallets } from '../../../state/wallets.ts'

export interface Senders {
  readonly list: readonly Sender[]
  readonly chosen: Sender | undefined
  readonly choose: (index: number) => void
  readonly add: (senders: readonly Sender[]) => void
}

/** Accounts of the node, and those of wallets that the reader connects. */
export function useSenders(): Senders {
  const [list, setList] = useState<readonly Sender[]>([])
  const [index, setIndex] = useState(0)
  useEffect(() => {
    findWallets()
    nodeAccounts().then(setList, () => {})
  }, [])
  const add = (senders: readonly Sender[]): void => {
    setIndex(list.length)
    setList([...list, ...senders])
  }
  return { list, chosen: list[index], choose: setIndex, add }
}

export function SenderChoice({ senders }: { readonly senders: Senders }): VNode {
  const { list, chosen, choose, add } = senders
  const choices = list.map(
    ({ address, wallet }, i) =>
      [String(i), `${checksummed(address)} (${wallet === null ? 'the node signs' : wallet.name})`] as const,
  )
  const open = (wallet: Wallet): void => {
    connect(wallet).then(add, (error: Error) => notify(error.message, true))
  }
  return (
    <div class="stack">
      {list.length > 0 && (
        <Field
          label="Sender"
          value={String(chosen === undefined ? 0 : list.indexOf(chosen))}
          onInput={(value) => choose(Number(value))}
          choices={choices}
        />
      )}
      {list.length === 0 && wallets.value.length === 0 && (
        <p class="muted">
          The node signs for no account, and the browser has no wallet (EIP-6963): functions can only be simulated.
        </p>
      )}
      <p class="row">
        {wallets.value.map((wallet) => (
          <Button key={wallet.id} onClick={() => open(wallet)}>
            Connect {wallet.name}
          </Button>
        ))}
      </p>
    </div>
  )
}
