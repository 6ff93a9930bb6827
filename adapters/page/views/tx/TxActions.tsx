import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../components/Button.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { nodeUrl } from '../../rpc/provider.ts'
import { castSend, curlSend, viemSend } from './copyAs.ts'
import { RunAgain } from './RunAgain.tsx'
import type { TransactionData } from './TxView.tsx'

interface Props {
  readonly data: TransactionData
}

const WAYS = [
  ['cast', castSend],
  ['viem', viemSend],
  ['curl', curlSend],
] as const

export function TxActions({ data }: Props): VNode {
  const [open, setOpen] = useState<'copy' | 'run'>()
  const { transaction, receipt } = data
  const url = nodeUrl()
  const close = (): void => setOpen(undefined)
  return (
    <>
      {receipt !== null && (
        <ButtonLink href={`#/debug/${transaction.hash}`} icon="debug">
          Debug
        </ButtonLink>
      )}
      <Button onClick={() => setOpen('run')}>Run again</Button>
      {url && (
        <Button icon="copy" onClick={() => setOpen('copy')}>
          Copy as
        </Button>
      )}
      {url && open === 'copy' && <CopyDialog url={url} data={data} onClose={close} />}
      {open === 'run' && <RunAgain data={data} onClose={close} />}
    </>
  )
}

const MAX_SHOWN = 2000

interface CopyProps extends Props {
  /** Of the node. */
  readonly url: string
  readonly onClose: () => void
}

function CopyDialog({ url, data, onClose }: CopyProps): VNode {
  return (
    <Dialog title="Copy the call" onClose={onClose}>
      <div class="stack">
        {WAYS.map(([name, write]) => {
          const text = write(url, data.transaction)
          return (
            <div key={name} class="stack">
              <p class="row">
                <strong>{name}</strong> <CopyButton text={text} label={`the call for ${name}`} />
              </p>
              <pre>{text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}</pre>
            </div>
          )
        })}
      </div>
    </Dialog>
  )
}
