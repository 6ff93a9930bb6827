import type { VNode } from 'preact'
import { Button } from '../../components/Button.tsx'
import { navigate } from '../../state/router.ts'
import { storeCall } from './target.ts'

interface Props {
  readonly call: Readonly<Record<string, string>>
  /** `latest` or a number: the state that the call ran on. */
  readonly block: string
}

/** Opens the debugger with a call that was not sent. */
export function DebugCall({ call, block }: Props): VNode {
  const open = (): void => {
    storeCall({ call, block })
    navigate('/debug/call')
  }
  return (
    <Button icon="debug" onClick={open}>
      Debug this call
    </Button>
  )
}
