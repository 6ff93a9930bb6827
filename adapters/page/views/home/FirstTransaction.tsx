import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Section } from '../../components/Page.tsx'
import { isIsonode, offers } from '../../rpc/capabilities.ts'
import { nodeUrl } from '../../rpc/provider.ts'
import { notify } from '../../state/announcer.ts'
import { refreshHead } from '../../state/live.ts'
import { capabilities, request } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'

const ONE_ETHER = '0xde0b6b3a7640000'
/** As long as an address, so that nothing moves when the accounts come. */
const LOADING = `0x${'.'.repeat(40)}`

/** Shown on an empty dev chain: three ways to send a first transaction, or one to a node in the page. */
export function FirstTransaction(): VNode | null {
  const isDev = isIsonode(capabilities.value) && offers(capabilities.value, 'dev')
  const { data, phase } = useQuery<readonly string[]>(isDev ? 'accounts' : undefined, (ask) => ask('eth_accounts'))
  const isLoading = data === undefined && phase === 'loading'
  const [from, to] = isLoading ? [LOADING, LOADING] : (data ?? [])
  if (!isDev || from === undefined || to === undefined) return null
  const url = nodeUrl()
  return (
    <Section title="Send a first transaction">
      <div class="ways">
        <div>
          <h3>Here</h3>
          <p>One account of the dev chain sends 1 ETH to another.</p>
          <SendButton from={from} to={to} isLoading={isLoading} />
        </div>
        {url && <Way title="With cast" code={castCommand(url, from, to)} />}
        {url && <Way title="With viem" code={viemCode(url, from, to)} />}
      </div>
    </Section>
  )
}

interface SendProps {
  readonly from: string
  readonly to: string
  readonly isLoading: boolean
}

function SendButton({ from, to, isLoading }: SendProps): VNode {
  const [isBusy, setBusy] = useState(false)
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      const hash = await request<string>('eth_sendTransaction', [{ from, to, value: ONE_ETHER }])
      refreshHead()
      location.hash = `#/tx/${hash}`
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), true)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button kind="primary" isBusy={isBusy || isLoading} onClick={() => void send()}>
      Send 1 ETH
    </Button>
  )
}

function Way({ title, code }: { readonly title: string; readonly code: string }): VNode {
  return (
    <div>
      <h3>{title}</h3>
      <pre>{code}</pre>
      <CopyButton text={code} label={`the command ${title.toLowerCase()}`}>
        Copy
      </CopyButton>
    </div>
  )
}

function castCommand(url: string, from: string, to: string): string {
  return `cast send --rpc-url ${url} --unlocked --from ${from} --value 1ether ${to}`
}

function viemCode(url: string, from: string, to: string): string {
  return `import { createWalletClient, http, parseEther } from 'viem'

const client = createWalletClient({ transport: http('${url}') })
await client.sendTransaction({
  chain: null,
  account: '${from}',
  to: '${to}',
  value: parseEther('1'),
})`
}
